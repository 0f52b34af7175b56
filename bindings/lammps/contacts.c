/* contacts.c: blocks of contacts for the kernels of the engine for spheres, from a host's lists (contacts.h). */
#include "contacts.h"

#include "base/memory.h"
#include "dem/spheres/bed_parts.h"
#include "math/scalar.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// Contacts of own spheres, of one with a ghost, and with planes.
enum { OWN, SHARED, PLANES, GROUPS };

/// Blocks of one kind of contacts. `birth` is beside them: kernels do not read it.
typedef struct group {
    bed_block *block, *before;
    double (*birth)[BED_LANES], (*birth_before)[BED_LANES];
    _Alignas(MEMORY_ALIGNMENT) double loss[2 * BED_LOSSES][BED_LANES];
    double total[BED_LOSSES], total_before[BED_LOSSES];
    int count, room, kept; /* contacts; blocks; blocks that `before` has */
} group;

typedef struct near_pair {
    int32_t i, j;
    int32_t group;
} near_pair;

struct lmp_contacts {
    scree_allocator allocator;
    const bed_kernel *kernel;
    bed_law law;
    int materials, pairs, planes, ledger, hertz, published, needs;
    double h, largest_mu;
    bed_prepared *prepared;
    double (*constant)[BED_CONSTANTS][BED_LANES], (*wall_constant)[BED_CONSTANTS][BED_LANES];
    int own, spheres, room;
    bed_record *record;
    bed_load *load, *plane_load;
    int32_t *material;
    bed_plane_now *plane;
    group group[GROUPS];
    near_pair *near;
    int near_count, near_room;
    int equal; /* all spheres have this size */
    double common[3];
    double inner, travel, mean[3];
    double largest_radius;
    double scale;
    bed_grid grid;
    _Alignas(MEMORY_ALIGNMENT) double peak[2][BED_LANES];
};

/* ---- making ------------------------------------------------------------------------------------------------------------- */

/// An array with room for `room` entries of `size` bytes, of which `used` stay. 0: no memory, and it is as it was.
static int grow(const scree_allocator *a, void **array, size_t size, int used, int room)
{
    void *grown = memory_array(a, (size_t)room, size);
    if (!grown) return 0;
    if (*array && used > 0) memcpy(grown, *array, (size_t)used * size);
    memory_free(a, *array);
    *array = grown;
    return 1;
}

lmp_contacts *lmp_create(bed_law law, int materials, const bed_pair *pair, double step, int planes, int ledger)
{
    const scree_allocator a = memory_allocator(NULL);
    lmp_contacts *c = memory_array(&a, 1, sizeof *c);
    if (!c) return NULL;
    c->allocator = a, c->kernel = bed_kernel_at(0), c->law = law, c->materials = materials, c->planes = planes;
    c->pairs = materials * (materials + 1) / 2, c->ledger = ledger, c->h = step;
    c->prepared = memory_array(&a, (size_t)c->pairs, sizeof *c->prepared);
    c->constant = memory_array(&a, (size_t)c->pairs, sizeof *c->constant);
    c->wall_constant = memory_array(&a, (size_t)c->pairs, sizeof *c->wall_constant);
    c->plane = memory_array(&a, (size_t)planes + 1, sizeof *c->plane);
    c->plane_load = memory_array(&a, 2 * (size_t)planes + 1, sizeof *c->plane_load);
    if (!c->prepared || !c->constant || !c->wall_constant || !c->plane || !c->plane_load) {
        lmp_destroy(c);
        return NULL;
    }
    for (int m = 0; m < materials; ++m)
        for (int k = 0; k <= m; ++k) {
            bed_prepared *p = &c->prepared[bed_pair_index(m, k)];
            bed_prepare_pair(&pair[m * materials + k], law, step, p);
            c->needs |= bed_prepared_needs(p, law);
            c->published |= law == BED_TRACKED && p->published > 0.0;
            c->hertz |= p->modulus > 0.0;
            c->largest_mu = max2(c->largest_mu, max2(p->sds[0][2], max2(p->slide[2], p->slide[3])));
        }
    return c;
}

void lmp_destroy(lmp_contacts *c)
{
    if (!c) return;
    const scree_allocator a = c->allocator;
    for (group *g = c->group; g < c->group + GROUPS; ++g)
        MEMORY_FREE_ALL(&a, g->block, g->before, g->birth, g->birth_before);
    MEMORY_FREE_ALL(&a, c->prepared, c->constant, c->wall_constant, c->record, c->load, c->plane_load, c->material,
                    c->plane, c->near);
    memory_free(&a, c);
}

/* ---- lists -------------------------------------------------------------------------------------------------------------- */

int lmp_begin(lmp_contacts *c, int own, int spheres)
{
    if (spheres > c->room) {
        const int room = spheres + spheres / 4 + 64;
        if (!grow(&c->allocator, (void **)&c->record, sizeof *c->record, 0, room) ||
            !grow(&c->allocator, (void **)&c->load, sizeof *c->load, 0, room) ||
            !grow(&c->allocator, (void **)&c->material, sizeof *c->material, 0, room))
            return 0;
        c->room = room;
    }
    c->own = own, c->spheres = spheres, c->near_count = 0;
    for (group *g = c->group; g < c->group + GROUPS; ++g) g->count = g->kept = 0;
    c->equal = 1, c->largest_radius = 0.0;
    return 1;
}

static int same(const double a[3], const double b[3])
{
    /* The same bits, on purpose. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    return memcmp(a, b, 3 * sizeof *a) == 0;
}

void lmp_sphere(lmp_contacts *c, int i, int material, double radius, double mass)
{
    const double size[3] = {radius, 1.0 / mass, 2.5 / (mass * radius * radius)};
    bed_record *r = &c->record[i];
    r->x[3] = size[0], r->omega[3] = size[1], r->v[3] = size[2];
    c->material[i] = material;
    if (i == 0) memcpy(c->common, size, sizeof size);
    c->equal = c->equal && same(size, c->common);
    c->largest_radius = max2(c->largest_radius, radius);
}

static uint16_t pair_bits(const lmp_contacts *c, int i, int j, int g)
{
    const bed_record *a = &c->record[i], *b = g == PLANES ? a : &c->record[j];
    const double of_a[3] = {a->x[3], a->omega[3], a->v[3]}, of_b[3] = {b->x[3], b->omega[3], b->v[3]};
    const int other = g == PLANES ? c->plane[j].material : c->material[j];
    const int odd = !c->equal && !(same(of_a, c->common) && same(of_b, c->common));
    return (uint16_t)(bed_pair_index(c->material[i], other) | (odd ? BED_ODD : 0));
}

static int group_room(lmp_contacts *c, group *g)
{
    const int used = bed_blocks(g->count);
    if (g->count < g->room * BED_LANES) return 1;
    const int room = g->room + g->room / 2 + 64;
    if (!grow(&c->allocator, (void **)&g->block, sizeof *g->block, used, room) ||
        !grow(&c->allocator, (void **)&g->birth, sizeof *g->birth, used, room))
        return 0;
    g->room = room;
    return 1;
}

static void history_into(const lmp_history *h, bed_block *b, double *birth, int l)
{
    const unsigned bits = (unsigned)h->number[8];
    const uint8_t bit = (uint8_t)(1u << l);
    for (int k = 0; k < BED_MEMORY; ++k) b->memory[k][l] = h->number[k];
    *birth = h->number[7];
    b->live |= bit;
    if (bits & 1u) b->south |= bit;
    for (int k = 0; k < DEM_SPRINGS; ++k)
        if (bits >> (1 + k) & 1u) b->kinetic[k] |= bit;
}

static void history_from(const bed_block *b, double birth, int l, lmp_history *h)
{
    unsigned bits = (unsigned)b->south >> l & 1u;
    for (int k = 0; k < BED_MEMORY; ++k) h->number[k] = b->memory[k][l];
    for (int k = 0; k < DEM_SPRINGS; ++k) bits |= ((unsigned)b->kinetic[k] >> l & 1u) << (1 + k);
    h->number[7] = birth, h->number[8] = bits;
}

static int block_add(lmp_contacts *c, int which, int i, int j, const lmp_history *history)
{
    group *g = &c->group[which];
    if (!group_room(c, g)) return 0;
    const int l = g->count % BED_LANES;
    bed_block *b = &g->block[g->count / BED_LANES];
    double *birth = g->birth[g->count / BED_LANES];
    const uint16_t bits = pair_bits(c, i, j, which);
    if (l == 0) {
        memset(b, 0, sizeof *b);
        for (int k = 0; k < BED_LANES; ++k) b->i[k] = i, b->j[k] = j, b->pair[k] = bits, birth[k] = 0.0;
    }
    b->i[l] = i, b->j[l] = j, b->pair[l] = bits, b->used |= (uint8_t)(1u << l);
    if (history) history_into(history, b, &birth[l], l);
    g->count += 1;
    return 1;
}

static int near_add(lmp_contacts *c, int which, int i, int j)
{
    if (c->near_count == c->near_room) {
        const int room = c->near_room + c->near_room / 2 + 256;
        if (!grow(&c->allocator, (void **)&c->near, sizeof *c->near, c->near_count, room)) return 0;
        c->near_room = room;
    }
    c->near[c->near_count++] = (near_pair){i, j, which};
    return 1;
}

/// Those that touched go into blocks first; others when they are near (look).
static int add(lmp_contacts *c, int which, int i, int j, const lmp_history *history)
{
    return history ? block_add(c, which, i, j, history) : near_add(c, which, i, j);
}

int lmp_pair(lmp_contacts *c, int i, int j, const lmp_history *history)
{
    return add(c, i < c->own && j < c->own ? OWN : SHARED, i, j, history);
}

int lmp_wall(lmp_contacts *c, int i, int plane, const lmp_history *history)
{
    return add(c, PLANES, i, plane, history);
}

int lmp_end(lmp_contacts *c, double inner)
{
    const double plane[3] = {0.0, 0.0, 0.0};
    c->inner = inner, c->travel = SCREE_INFINITY;
    for (int k = 0; k < c->pairs && c->spheres > 0; ++k) {
        c->kernel->constants(c->law, &c->prepared[k], c->common, c->common, c->constant[k]);
        c->kernel->constants(c->law, &c->prepared[k], c->common, plane, c->wall_constant[k]);
    }
    lmp_set_scale(c, c->scale);
    return 1;
}

/* ---- motion ------------------------------------------------------------------------------------------------------------- */

void lmp_set_plane(lmp_contacts *c, int plane, const lmp_plane *to)
{
    bed_plane_now *now = &c->plane[plane];
    for (int k = 0; k < 3; ++k) {
        now->n[k] = to->normal[k], now->point[k] = to->point[k], now->v[k] = to->v[k], now->omega[k] = to->omega[k];
        now->n_before[k] = to->normal_before[k], now->v_before[k] = to->v_before[k];
        now->omega_before[k] = to->omega_before[k];
    }
    now->v_before[3] =
        sqrt(vec_dot(to->v_before, to->v_before)); /* of its point; turned, any point is as fast as it likes */
    if (vec_dot(to->omega_before, to->omega_before) > 0.0) now->v_before[3] = SCREE_INFINITY;
    now->material = to->material;
}

/// Whether a pair is nearer than `inner`.
static int is_near(const lmp_contacts *c, const near_pair *p)
{
    const bed_record *a = &c->record[p->i];
    double d[3];
    if (p->group == PLANES) {
        const bed_plane_now *plane = &c->plane[p->j];
        for (int k = 0; k < 3; ++k) d[k] = a->x[k] - plane->point[k];
        return d[0] * plane->n[0] + d[1] * plane->n[1] + d[2] * plane->n[2] < a->x[3] + c->inner;
    }
    const bed_record *b = &c->record[p->j];
    const double reach = a->x[3] + b->x[3] + c->inner;
    for (int k = 0; k < 3; ++k) d[k] = a->x[k] - b->x[k];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach;
}

/// Pairs that may touch before the next look go into blocks.
static int look(lmp_contacts *c)
{
    int left = 0;
    for (int k = 0; k < c->near_count; ++k) {
        const near_pair p = c->near[k];
        if (!is_near(c, &p)) c->near[left++] = p;
        else if (!block_add(c, p.group, p.i, p.j, NULL)) return 0;
    }
    c->near_count = left, c->travel = 0.0;
    return 1;
}

/// Distances change by at most the speeds against any common one: their mean, in which a flow as a whole does not count. Planes are not part
/// of that flow.
int lmp_move(lmp_contacts *c, const double *x, const double *v, const double *omega)
{
    double fastest = 0.0, plane = 0.0, sum[3] = {0.0, 0.0, 0.0};
    if (c->planes > 0) memset(c->mean, 0, sizeof c->mean);
    for (int i = 0; i < c->spheres; ++i) {
        bed_record *r = &c->record[i];
        double v2 = 0.0;
        for (int k = 0; k < 3; ++k) {
            const size_t at = 3 * (size_t)i + (size_t)k;
            const double against = v[at] - c->mean[k];
            r->x[k] = x[at], r->v[k] = v[at], r->omega[k] = omega[at];
            v2 += against * against, sum[k] += v[at];
        }
        fastest = max2(fastest, v2);
    }
    for (int k = 0; k < 3 && c->spheres > 0; ++k) c->mean[k] = sum[k] / c->spheres;
    for (int p = 0; p < c->planes; ++p) plane = max2(plane, c->plane[p].v_before[3]);
    c->travel += c->h * (2.0 * sqrt(fastest) + plane);
    return !(c->travel >= c->inner) || look(c);
}

/* ---- exact sums --------------------------------------------------------------------------------------------------------- */

static double power_above(double x)
{
    int e;
    (void)frexp(x, &e);
    return ldexp(1.0, e);
}

/// As bed_sizes.c has it: forces are rounded to multiples of 2^-46 S, and S is at least 16 times the largest.
void lmp_set_scale(lmp_contacts *c, double scale)
{
    c->scale = scale;
    memset(&c->grid, 0, sizeof c->grid);
    if (!(scale > 0.0)) return;
    int above;
    (void)frexp(c->common[0], &above);
    c->grid.force = 1.5 * ldexp(scale, 52 - 46), c->grid.torque = ldexp(4.0 * c->grid.force, above - 1);
    c->grid.plane_force = ldexp(c->grid.force, 20);
    c->grid.plane_torque = ldexp(c->grid.force * power_above(2.0 * c->largest_radius), 26);
}

double lmp_scale_after(const lmp_contacts *c, double scale, double peak)
{
    const double wanted = peak > 0.0 ? power_above(16.0 * (1.0 + c->largest_mu) * peak) : 0.0;
    return wanted > scale || ldexp(wanted, 12) < scale ? wanted : scale;
}

/* ---- loads -------------------------------------------------------------------------------------------------------------- */

static void births(group *g, const uint8_t *was, double birth, int first, int blocks)
{
    for (int k = 0; k < blocks; ++k) {
        unsigned begun = (unsigned)g->block[first + k].live & ~(unsigned)was[k];
        for (int l = 0; begun; ++l, begun >>= 1)
            if (begun & 1u) g->birth[first + k][l] = birth;
    }
}

/// So many blocks at a time: the old bits wait on the stack.
enum { STRETCH = 256 };

static void group_loads(lmp_contacts *c, int which, double birth)
{
    group *g = &c->group[which];
    const int blocks = bed_blocks(g->count);
    bed_run run = {.record = c->record, .plane = c->plane, .load = c->load, .plane_load = c->plane_load};
    run.prepared = c->prepared, run.h = run.moved = c->h, run.modes = 1, run.grid = &c->grid;
    run.constant = (const double(*)[BED_CONSTANTS][BED_LANES])(which == PLANES ? c->wall_constant : c->constant);
    run.hertz = c->hertz, run.stiffens = (c->needs & (BED_NEED_SPIN_HERTZ | BED_NEED_MINDLIN)) != 0,
    run.needs = c->needs;
    run.published = c->published, run.single = c->equal && c->pairs == 1, run.fetch = 1, run.peak = c->peak;
    if (c->ledger) run.loss = g->loss, memset(g->loss, 0, sizeof g->loss);
    for (int first = 0; first < blocks; first += STRETCH) {
        uint8_t was[STRETCH];
        run.block = g->block + first, run.blocks = blocks - first < STRETCH ? blocks - first : STRETCH;
        for (int k = 0; k < run.blocks; ++k) was[k] = run.block[k].live;
        (void)c->kernel->contacts[c->law == BED_TRACKED][which == PLANES](&run);
        births(g, was, birth, first, run.blocks);
    }
    for (int k = 0; k < BED_LOSSES && c->ledger; ++k)
        for (int l = 0; l < BED_LANES; ++l) g->total[k] += g->loss[k][l] + g->loss[BED_LOSSES + k][l];
}

int lmp_loads(lmp_contacts *c, double birth)
{
    memset(c->load, 0, (size_t)c->spheres * sizeof *c->load);
    memset(c->plane_load, 0, 2 * (size_t)c->planes * sizeof *c->plane_load);
    memset(c->peak, 0, sizeof c->peak);
    for (int g = 0; g < GROUPS; ++g) group_loads(c, g, birth);
    return 1;
}

const double *lmp_force(const lmp_contacts *c, int i)
{
    return c->load[i].force;
}

const double *lmp_torque(const lmp_contacts *c, int i)
{
    return c->load[i].torque;
}

void lmp_plane_load(const lmp_contacts *c, int plane, double parts[12])
{
    const bed_load *l = &c->plane_load[2 * plane];
    for (int part = 0; part < 2; ++part)
        for (int k = 0; k < 3; ++k) parts[6 * part + k] = l[part].force[k], parts[6 * part + 3 + k] = l[part].torque[k];
}

double lmp_peak(const lmp_contacts *c)
{
    double peak = 0.0;
    for (int l = 0; l < BED_LANES; ++l) peak = max2(peak, c->peak[0][l]);
    return peak;
}

/* ---- histories ---------------------------------------------------------------------------------------------------------- */

int lmp_keep(lmp_contacts *c)
{
    for (group *g = c->group; g < c->group + GROUPS; ++g) {
        const int blocks = bed_blocks(g->count);
        memory_free(&c->allocator, g->before), memory_free(&c->allocator, g->birth_before);
        g->before = NULL, g->birth_before = NULL, g->kept = 0;
        if (!grow(&c->allocator, (void **)&g->before, sizeof *g->before, 0, blocks + 1) ||
            !grow(&c->allocator, (void **)&g->birth_before, sizeof *g->birth_before, 0, blocks + 1))
            return 0;
        if (blocks > 0) {
            memcpy(g->before, g->block, (size_t)blocks * sizeof *g->block);
            memcpy(g->birth_before, g->birth, (size_t)blocks * sizeof *g->birth);
        }
        g->kept = blocks;
        memcpy(g->total_before, g->total, sizeof g->total);
    }
    return 1;
}

void lmp_restore(lmp_contacts *c)
{
    for (group *g = c->group; g < c->group + GROUPS; ++g) {
        memcpy(g->total, g->total_before, sizeof g->total);
        if (g->kept == 0) continue;
        memcpy(g->block, g->before, (size_t)g->kept * sizeof *g->block);
        memcpy(g->birth, g->birth_before, (size_t)g->kept * sizeof *g->birth);
    }
}

int lmp_count(const lmp_contacts *c)
{
    return c->group[OWN].count + c->group[SHARED].count + c->group[PLANES].count;
}

int lmp_contact_at(const lmp_contacts *c, int k, int kept, lmp_contact *out)
{
    const group *g = c->group;
    while (k >= g->count) k -= g->count, g += 1;
    const int at = k / BED_LANES, l = k % BED_LANES;
    if (kept && at >= g->kept) return 0;
    const bed_block *b = kept ? &g->before[at] : &g->block[at];
    if (!(b->live >> l & 1)) return 0;
    out->i = b->i[l], out->j = b->j[l];
    history_from(b, kept ? g->birth_before[at][l] : g->birth[at][l], l, &out->history);
    return 1;
}

void lmp_sums(const lmp_contacts *c, double now, int half, double sums[3])
{
    for (int i = 0; i < 3; ++i) sums[i] = 0.0;
    for (int which = 0; which < GROUPS; ++which) {
        const group *g = &c->group[which];
        const double weight = half && which == SHARED ? 0.5 : 1.0;
        for (int k = 0; k < g->count; ++k) {
            const double birth = g->birth[k / BED_LANES][k % BED_LANES];
            if (!(g->block[k / BED_LANES].live >> k % BED_LANES & 1)) continue;
            sums[0] += weight, sums[1] += weight * (now - birth), sums[2] += weight * birth;
        }
    }
}

void lmp_lost(const lmp_contacts *c, int half, double lost[8])
{
    for (int k = 0; k < 8; ++k) {
        lost[k] = 0.0;
        for (int which = 0; which < GROUPS; ++which)
            lost[k] += (half && which == SHARED ? 0.5 : 1.0) * c->group[which].total[k];
    }
}
