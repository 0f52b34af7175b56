/* test_bed_lists.c: lists of the fast DEM engine have every pair, in the order they promise; memory that fails; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "bed_checks.h"
#include "failing_allocator.h"

/* ---- failures --------------------------------------------------------------------------------------------------------------------------------- */

/// And leaves the bed as after the last step it took: tried again, it goes on to the same bits.
static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    grains *g = many(BED_SDS, DEM_HOOKE, 0.05);
    bed *whole = make(g, NULL);
    int done = 0;
    advance(whole, 60);
    for (int n = 0; !done; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        bed *b = NULL;
        scree_error error = {0};
        bed_motion start = grains_motion(g);
        int contacts;
        scree_status status = bed_create(&g->def, &start, &a, NULL, &b, &error);
        assert_true((status == SCREE_OK) == (b != NULL));
        if (b) status = bed_advance(b, 60, &error);
        if (b && status == SCREE_OK) status = bed_contacts(b, 0, NULL, &contacts);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        done = status == SCREE_OK;
        f.left = -1;
        if (b) advance(b, 60 - (int)bed_count_steps(b)), assert_same_state(whole, b);
        bed_destroy(b);
        assert_int_equal(f.live, 0);
    }
    bed_destroy(whole), free(g);
}

/// Grains at rest in a box, shaken a little: lists are made again, memory is not asked for.
static void warm_bed(grains *g)
{
    failing f = {.left = -1};
    scree_allocator a = failing_allocator(&f);
    bed *b = NULL;
    scree_error error = {0};
    g->def.periodic[0] = g->def.periodic[1] = 1, g->def.high[0] = g->def.high[1], g->def.planes = 1;
    bed_motion start = grains_motion(g);
    assert_int_equal(bed_create(&g->def, &start, &a, NULL, &b, &error), SCREE_OK);
    advance(b, 1500);
    int made = f.made;
    int64_t rebuilds = bed_count(b).rebuilds;
    advance(b, 500);
    assert_true(bed_count(b).rebuilds > rebuilds);
    assert_int_equal(f.made, made);
    bed_destroy(b), free(g);
}

static void a_warm_bed_asks_for_no_memory(void **state)
{
    (void)state;
    warm_bed(many(BED_TRACKED, DEM_HOOKE, 0.0));
    grains *g = crowd_of_sizes(MANY, BED_SDS, DEM_HOOKE);
    g->radius[3] = 1.0, g->radius[MANY - 2] = 1.5; /* the box has no room for larger ones */
    warm_bed(g);
}

/// While lists are made, contacts pass on what they remember chunk by chunk: no second array of blocks is there, then or later. A bed that has
/// made lists again and again has asked for at most a fifth more than one that begins with its last state (slack, rows that became more, an
/// index of contacts that touch); with a second array it was 1.4 times as much. It shears, so that spheres change their chunks; its twin makes
/// lists at other times, so what was carried over would be seen.
static void new_lists_take_no_second_room(void **state)
{
    (void)state;
    grains *g = crowd(FOUR_CHUNKS, BED_TRACKED, DEM_HOOKE, 0.05);
    for (int i = 0; i < g->def.count; ++i) g->v[3 * i] += 3.0 * g->x[3 * i + 2];
    failing f = {.left = -1}, once = {.left = -1};
    scree_allocator a = failing_allocator(&f), alone = failing_allocator(&once);
    bed *b = NULL, *other = make(g, NULL), *fresh = NULL;
    scree_error error = {0};
    bed_motion start = grains_motion(g);
    assert_int_equal(bed_create(&g->def, &start, &a, NULL, &b, &error), SCREE_OK);
    while (bed_count(b).rebuilds < 12) {
        advance(b, 1);
        if (bed_count_steps(b) % 3 == 0) b->lists_due = 1;
    }
    const size_t most = f.most; /* reading contacts takes more */
    advance(other, (int)bed_count_steps(b));
    assert_same_state(other, b);
    bed_read(b, &start);
    assert_int_equal(bed_create(&g->def, &start, &alone, NULL, &fresh, &error), SCREE_OK);
    if (!((double)most < 1.2 * (double)once.most)) fail_msg("%zu bytes, from new %zu", most, once.most);
    bed_destroy(b), bed_destroy(other), bed_destroy(fresh), free(g);
}

/* ---- order ------------------------------------------------------------------------------------------------------------------- */

enum { CUBE = 20, CUBE_CONTACTS = 3 * CUBE * CUBE * (CUBE - 1) };

/// A cube at rest, of which about half the neighbours touch.
static grains *resting_cube(void)
{
    grains *g = grains_make(CUBE * CUBE * CUBE, BED_SDS, DEM_HOOKE, 0.0, 0.0);
    memset(g->v, 0, sizeof g->v), memset(g->omega, 0, sizeof g->omega);
    g->def.periodic[1] = 0, g->def.planes = 0, g->def.gravity[2] = 0.0, g->def.step = 1e-9, g->def.skin = 0.05;
    return g;
}

/// Eight chunks can have a cube each; then the contacts over three planes through the middle leave them, 5.3 %.
static void a_chunk_is_a_box(void **state)
{
    (void)state;
    grains *g = resting_cube();
    for (int i = 0; i < g->def.count; ++i) g->radius[i] = 0.51; /* all neighbours overlap, so all are in blocks */
    bed *b = make(g, NULL);
    int within = 0, across = 0;
    assert_int_equal(b->chunks, 8);
    for (int c = 0; c < b->chunks; ++c)
        within += b->chunk[c].group[BED_WITHIN].count, across += b->chunk[c].group[BED_ACROSS].count;
    assert_int_equal(within + across, CUBE_CONTACTS);
    /* a cell goes to one side as a whole, so cuts are not quite even: 7 % leave room for that. In the order of Morton codes: 10.7 % */
    if (!(across < 0.07 * CUBE_CONTACTS)) fail_msg("%d of %d contacts leave their chunks", across, CUBE_CONTACTS);
    bed_destroy(b), free(g);
}

/// There are at most two cells per sphere: with one sphere very far away all others are in three cells, most in the last, more than a chunk
/// has.
static void a_cell_may_have_more_spheres_than_a_chunk(void **state)
{
    (void)state;
    grains *g = crowd(FOUR_CHUNKS, BED_SDS, DEM_HOOKE, 0.0), *h = crowd(FOUR_CHUNKS + 1, BED_SDS, DEM_HOOKE, 0.0);
    const int far = FOUR_CHUNKS;
    g->def.periodic[1] = h->def.periodic[1] = 0, g->def.planes = h->def.planes = 0;
    for (int i = 0; i < 100; ++i) g->x[3 * i] -= i < 50 ? 300.0 : 600.0;
    memcpy(h->x, g->x, sizeof g->x), memcpy(h->v, g->v, sizeof g->v), memcpy(h->omega, g->omega, sizeof g->omega);
    for (int k = 0; k < 3; ++k) h->x[3 * far + k] = 5000.0;
    bed *few = make(g, NULL), *more = make(h, NULL);
    bed_motion a = grains_motion(g), b = grains_motion(h);
    assert_true(few->chunks == 4 && more->chunks > 4);
    advance(few, 20), advance(more, 20);
    bed_read(few, &a), bed_read(more, &b);
    assert_int_equal(bed_count(few).touching, bed_count(more).touching);
    assert_true(bed_count(few).touching > FOUR_CHUNKS);
    assert_true(largest_difference(g->x, h->x, 3 * FOUR_CHUNKS) <= 0.0);
    bed_destroy(few), bed_destroy(more), free(g), free(h);
}

typedef struct two {
    int i, j;
} two;

static int by_both(const void *left, const void *right)
{
    const two *a = left, *b = right;
    return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
}

/// All pairs of a bed's lists, by their numbers.
static int listed_pairs(const bed *b, two *out)
{
    int n = 0;
    for (int c = 0; c < b->chunks; ++c) {
        const bed_chunk *own = &b->chunk[c];
        for (int g = BED_WITHIN; g < BED_GROUPS; ++g)
            for (int k = 0; k < own->group[g].count; ++k) {
                const bed_block *block = bed_group_blocks(b, c, g) + k / BED_LANES;
                assert_int_equal(block->i[k % BED_LANES] / b->each, c);
                out[n++] = (two){b->id[block->i[k % BED_LANES]], b->id[block->j[k % BED_LANES]]};
            }
        for (int k = 0; k < own->near.count; ++k) {
            const bed_near *p = &b->near[own->near.first + k];
            assert_int_equal(p->i / b->each, c);
            out[n++] = (two){b->id[p->i], b->id[p->j]};
        }
    }
    qsort(out, (size_t)n, sizeof *out, by_both);
    return n;
}

/// What is in the lists, and what two plain loops find.
static void assert_all_pairs(const bed *b, const grains *g)
{
    enum { ROOM = 400000 };
    two *listed = malloc(ROOM * sizeof *listed), *found = malloc(ROOM * sizeof *found);
    assert_true(bed_count(b).listed < ROOM);
    int n = listed_pairs(b, listed), m = 0;
    for (int i = 0; i < g->def.count; ++i)
        for (int j = 0; j < i; ++j) {
            double r2 = 0.0, far = g->radius[i] + g->radius[j] + b->skin;
            for (int k = 0; k < 3; ++k) {
                double d = g->x[3 * i + k] - g->x[3 * j + k], L = g->def.high[k] - g->def.low[k];
                if (g->def.periodic[k]) d -= L * round(d / L);
                r2 += d * d;
            }
            if (r2 >= far * far || !(g->inverse_mass[i] + g->inverse_mass[j] > 0.0)) continue;
            assert_true(m < ROOM);
            found[m++] = (two){i, j};
        }
    if (n != m) fail_msg("%d pairs are listed, there are %d", n, m);
    assert_memory_equal(listed, found, (size_t)n * sizeof *found);
    free(listed), free(found);
}

/// Sizes of many kinds, anywhere: every pair that is near is in the lists, once, and nothing else is.
static void lists_have_every_pair_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; ++kind)
        for (int periodic = 0; periodic < 4; ++periodic) {
            grains *g = crowd(2 * MANY, BED_SDS, DEM_HOOKE, 0.0);
            rng random = rng_make(5, (uint64_t)kind);
            const double box = 120.0;
            g->def.planes = 0;
            for (int i = 0; i < 2 * MANY; ++i) {
                double u = rng_uniform(&random), R = 1.0;
                if (kind == 0) R = i % 650 == 40 ? 15.0 : 0.3; /* a few are 50 times larger                      */
                if (kind == 1) R = 0.3 + 2.7 * u;              /* 1 to 10, as many of each size                  */
                if (kind == 2)
                    R = 0.3 / cbrt(1.0 - u * (1.0 - 1e-3));   /* 1 to 10, as much volume of each                */
                if (kind == 3) R = i < 2500 ? 3.0 : 0.03;     /* a few are smaller: they have no level          */
                if (kind == 4) R = pow(2.0, -(i % 20)) * 8.0; /* more levels than there are                     */
                if (kind == 5) R = i % 2 ? 2.0 : 0.2;         /* two sizes; those far away do not widen cells   */
                g->radius[i] = R;
                for (int k = 0; k < 3; ++k) g->x[3 * i + k] = box * rng_uniform(&random);
                if (kind == 5 && i % 100 == 1) g->x[3 * i + 2] += 1e4;
                if (i % 5 == 0) g->inverse_mass[i] = g->inverse_inertia[i] = 0.0;
            }
            for (int k = 0; k < 3; ++k)
                g->def.periodic[k] = k < 2 ? periodic >> k & 1 : periodic == 3 && kind < 5, g->def.high[k] = box;
            g->def.skin = 0.6;
            bed *b = make(g, NULL);
            assert_int_equal(b->levels > 1, kind != 3);
            assert_all_pairs(b, g);
            bed_destroy(b), free(g);
        }
}

/// One size is the common one where more than half have it, whatever their order; then its contacts need no constants of their own.
static void common_spheres_share_their_constants(void **state)
{
    (void)state;
    grains *g = crowd_of_sizes(MANY, BED_SDS, DEM_HOOKE);
    bed *b = make(g, NULL);
    int shared = 0, own = 0;
    assert_true(b->common[0] >= 0.5 && b->common[0] <= 0.5 && !b->equal);
    for (int c = 0; c < b->chunks; ++c)
        for (int k = 0; k < b->chunk[c].group[BED_WITHIN].count; ++k) {
            const bed_block *block = bed_group_blocks(b, c, BED_WITHIN) + k / BED_LANES;
            int l = k % BED_LANES, i = b->id[block->i[l]], j = b->id[block->j[l]];
            int common = !(fabs(g->radius[i] - 0.5) > 0.0) && !(fabs(g->radius[j] - 0.5) > 0.0);
            assert_int_equal(block->pair[l], common ? 0 : BED_ODD);
            shared += common, own += !common;
        }
    assert_true(shared > own && own > 20);
    bed_destroy(b), free(g);
}

/// Contacts that touch after one that does not, in all lists.
static int out_of_place(const bed *b)
{
    int sum = 0;
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g) {
            const bed_span *span = &b->chunk[c].group[g];
            for (int n = 0, apart = 0; n < span->count; ++n) {
                int live = bed_group_blocks(b, c, g)[n / BED_LANES].live >> n % BED_LANES & 1;
                sum += apart && live, apart |= !live;
            }
        }
    return sum;
}

static void touching_contacts_come_first(void **state)
{
    (void)state;
    grains *g = resting_cube();
    bed *b = make(g, NULL);
    advance(b, 1);
    int touching = bed_count(b).touching;
    assert_true(touching > CUBE_CONTACTS / 4 && touching < 3 * CUBE_CONTACTS / 4);
    assert_true(out_of_place(b) > CUBE_CONTACTS / 8);
    advance(b, 1);
    assert_int_equal(bed_count(b).touching, touching);
    assert_int_equal(out_of_place(b), 0);
    bed_destroy(b), free(g);
}

static void an_empty_bed_steps(void **state)
{
    (void)state;
    grains *g = one_grain(BED_TRACKED);
    g->def.count = 0;
    bed *b = make(g, NULL);
    advance(b, 10);
    assert_int_equal(bed_count(b).steps, 10);
    bed_destroy(b), free(g);
}

static void refuses_what_has_no_meaning(void **state)
{
    (void)state;
    static const char *const words[12] = {"a radius must be > 0",
                                          "mass and inertia must be > 0",
                                          "a sphere has a material that does not exist",
                                          "a plane's normal must be a unit vector",
                                          "periodic",
                                          "the normal law must be Hooke for all pairs",
                                          "the tangential stiffness K_E must be > 0",
                                          "a position is not a number",
                                          "the normal stiffness must be > 0 and its damping >= 0",
                                          "a bed has 0 or more spheres and planes and 1 to 90 materials",
                                          "the step must be > 0",
                                          "a plane has a material that does not exist"};
    for (int fault = 0; fault < 12; ++fault) {
        grains *g = grains_make(30, BED_TRACKED, DEM_HOOKE, 0.05, -0.005);
        bed *b = NULL;
        scree_error error = {.text = ""};
        bed_motion start = grains_motion(g);
        if (fault == 0) g->radius[3] = -1.0;
        if (fault == 1) g->inverse_mass[4] = 0.0; /* with an inertia */
        if (fault == 2) g->material[2] = 2;
        if (fault == 3) g->plane[0].normal[2] = 2.0;
        if (fault == 4) g->def.high[1] = 1.0;
        if (fault == 5) g->pair[2].normal.kind = DEM_HERTZ;
        if (fault == 6) g->pair[3].friction.stiffness = 0.0;
        if (fault == 7) g->x[5] = SCREE_INFINITY;
        if (fault == 8) g->pair[0].normal.stiffness = 0.0;
        if (fault == 9) g->def.materials = 0;
        if (fault == 10) g->def.step = 0.0;
        if (fault == 11) g->plane[0].material = 2;
        assert_int_equal(bed_create(&g->def, &start, NULL, NULL, &b, &error), SCREE_ERR_INPUT);
        assert_null(b);
        if (!strstr(error.text, words[fault])) fail_msg("'%s' has not '%s'", error.text, words[fault]);
        free(g);
    }
    grains *g = one_grain(BED_SDS);
    g->v[2] = 1e16;
    bed *b = make(g, NULL);
    scree_error error = {.text = ""};
    assert_int_equal(bed_advance(b, 1, &error), SCREE_ERR_RUNAWAY);
    assert_non_null(strstr(error.text, "sphere 0"));
    bed_motion back = grains_motion(g);
    g->x[1] = (double)NAN;
    assert_int_equal(bed_write(b, &back, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "the position of sphere 0 is not a number");
    bed_destroy(b), free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_allocation_is_reported),
        cmocka_unit_test(a_warm_bed_asks_for_no_memory),
        cmocka_unit_test(new_lists_take_no_second_room),
        cmocka_unit_test(a_chunk_is_a_box),
        cmocka_unit_test(a_cell_may_have_more_spheres_than_a_chunk),
        cmocka_unit_test(lists_have_every_pair_once),
        cmocka_unit_test(common_spheres_share_their_constants),
        cmocka_unit_test(touching_contacts_come_first),
        cmocka_unit_test(an_empty_bed_steps),
        cmocka_unit_test(refuses_what_has_no_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
