/* pile.c: both groups as problems of the library (problem/rigid.h), whose colours, batches and kernels do the work (pile.h). */
#include "pile.h"

#include "base/memory.h"
#include "math/vec.h"
#include "problem/rigid.h"
#include "solvers/spheres/spheres.h"
#include "solvers/spheres/spheres_kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INSIDE, ACROSS };

typedef struct part {
    scree_problem *problem; /* NULL: no contacts */
    sphere_pile pile;
    lmp_touch *touch;
    double *p;
    int count, rows;
} part;

struct lmp_pile {
    scree_allocator allocator;
    int bodies, across; /* across: bodies in contacts across */
    const lmp_body *body;
    part part[LMP_GROUPS];
    int *place, *of; /* (bodies) place among those across, -1: none; (across) back */
    double (*v)[6];  /* (bodies) */
    double (*v_old)[6];
    double (*base)[6]; /* (across) velocities before contacts across */
    double q2;
};

lmp_pile *lmp_pile_create(void)
{
    const scree_allocator a = memory_allocator(NULL);
    lmp_pile *p = memory_array(&a, 1, sizeof *p);
    if (p) p->allocator = a;
    return p;
}

static void part_clear(lmp_pile *p, part *g)
{
    if (g->problem) spheres_destroy(&g->pile, &p->allocator);
    scree_problem_destroy(g->problem);
    memory_free(&p->allocator, g->p);
    memset(g, 0, sizeof *g);
}

static void clear(lmp_pile *p)
{
    for (int g = 0; g < LMP_GROUPS; ++g) part_clear(p, &p->part[g]);
    MEMORY_FREE_ALL(&p->allocator, p->place, p->of, p->v, p->v_old, p->base);
    p->place = p->of = NULL, p->v = p->v_old = p->base = NULL;
}

void lmp_pile_destroy(lmp_pile *p)
{
    if (!p) return;
    const scree_allocator a = p->allocator;
    clear(p);
    memory_free(&a, p);
}

/* ---- contacts ----------------------------------------------------------------------------------------------------------- */

static void frame_of(const lmp_touch *t, double t1[3], double t2[3])
{
    vec_tangent(t->normal, t1);
    vec_cross(t->normal, t1, t2);
}

/// Space vectors to the rows of the cone, laid into the tangent plane; and back.
static void load_to_rows(const lmp_touch *t, double *p)
{
    const scree_cone *cone = &t->cone;
    double t1[3], t2[3];
    frame_of(t, t1, t2);
    *p++ = t->load[0];
    if (cone->size[0]) *p++ = vec_dot(t1, t->load + 1), *p++ = vec_dot(t2, t->load + 1);
    if (cone->size[1]) *p++ = vec_dot(t1, t->load + 4), *p++ = vec_dot(t2, t->load + 4);
    if (cone->size[2]) *p = t->load[7];
}

static void load_from_rows(const double *p, lmp_touch *t)
{
    const scree_cone *cone = &t->cone;
    double t1[3], t2[3];
    frame_of(t, t1, t2);
    memset(t->load, 0, sizeof t->load);
    t->load[0] = *p++;
    for (int kind = 0; kind < 2; ++kind) {
        if (!cone->size[kind]) continue;
        for (int k = 0; k < 3; ++k) t->load[1 + 3 * kind + k] = p[0] * t1[k] + p[1] * t2[k];
        p += 2;
    }
    if (cone->size[2]) t->load[7] = *p;
}

static scree_rigid_contact contact_of(const lmp_touch *t, int a, int b)
{
    scree_rigid_contact c = {.body_a = a, .body_b = b};
    double t2[3];
    memcpy(c.normal, t->normal, sizeof c.normal);
    frame_of(t, c.tangent, t2);
    for (int k = 0; k < 3; ++k) {
        c.arm_a[k] = t->arm[0] * t->normal[k];
        c.arm_b[k] = -t->arm[1] * t->normal[k];
    }
    return c;
}

/// q - H' v: the bias along n, and minus the velocity of what does not feel forces.
static void own_rows(const lmp_touch *t, double *w)
{
    const int *size = t->cone.size;
    double axis[2][3];
    frame_of(t, axis[0], axis[1]);
    memset(w, 0, (size_t)scree_cone_dim(&t->cone) * sizeof *w);
    *w++ = t->bias - (t->a < 0 ? vec_dot(t->normal, t->velocity) : 0.0);
    if (t->a >= 0) return;
    for (int kind = 0; kind < 2; ++kind) /* slide, roll */
        for (int i = 0; i < size[kind]; ++i) *w++ = -vec_dot(axis[i], t->velocity + 3 * kind);
    if (size[2]) *w = -vec_dot(t->normal, t->velocity + 3);
}

/// Rows of contacts.
static int rows_of(int count, const lmp_touch *touch)
{
    int rows = 0;
    for (int c = 0; c < count; ++c) rows += scree_cone_dim(&touch[c].cone);
    return rows;
}

/// What a definition of problem_from_rigid is made of.
typedef struct lists {
    scree_rigid_contact *contact;
    scree_cone *cone;
    scree_rigid_mass *mass;
    double *v, *w;
} lists;

static int lists_make(const scree_allocator *a, int bodies, int count, int rows, lists *l)
{
    l->contact = memory_array(a, (size_t)count + 1, sizeof *l->contact);
    l->cone = memory_array(a, (size_t)count + 1, sizeof *l->cone);
    l->mass = memory_array(a, (size_t)bodies + 1, sizeof *l->mass);
    l->v = memory_array(a, 6 * (size_t)bodies + 1, sizeof *l->v);
    l->w = memory_array(a, (size_t)rows + 1, sizeof *l->w);
    return l->contact && l->cone && l->mass && l->v && l->w;
}

static void lists_free(const scree_allocator *a, lists *l)
{
    MEMORY_FREE_ALL(a, l->contact, l->cone, l->mass, l->v, l->w);
}

static void mass_set(const lmp_body *b, double share, scree_rigid_mass *m, double *v)
{
    for (int k = 0; k < 3; ++k) m->inv_mass[k] = share * b->inv_mass, m->inv_inertia[4 * k] = share * b->inv_inertia;
    memcpy(v, b->v, sizeof b->v);
}

static scree_problem *problem_of(const scree_allocator *a, int bodies, int count, const lists *l, scree_error *error)
{
    scree_rigid_def def = scree_rigid_def_default();
    def.law = SCREE_LAW_COULOMB, def.contact_count = count, def.body_count = bodies, def.contact = l->contact;
    def.cone = l->cone, def.mass = l->mass, def.v_free = l->v, def.w = l->w, def.allocator = a;
    return scree_problem_from_rigid(&def, error);
}

static int part_make(lmp_pile *p, int which)
{
    part *g = &p->part[which];
    const int across = which == ACROSS, bodies = across ? p->across : p->bodies;
    lists l;
    if (g->count == 0) return 1;
    g->rows = rows_of(g->count, g->touch);
    int fine = lists_make(&p->allocator, bodies, g->count, g->rows, &l);
    g->p = memory_array(&p->allocator, (size_t)g->rows, sizeof *g->p);
    fine = fine && g->p;
    for (int b = 0; b < bodies && fine; ++b) {
        const lmp_body *body = &p->body[across ? p->of[b] : b];
        mass_set(body, across ? body->share : 1.0, &l.mass[b], l.v + 6 * b);
    }
    for (int c = 0, at = 0; c < g->count && fine; ++c) {
        const lmp_touch *t = &g->touch[c];
        const int a = t->a < 0 ? -1 : across ? p->place[t->a] : t->a, b = across ? p->place[t->b] : t->b;
        l.contact[c] = contact_of(t, a, b), l.cone[c] = t->cone;
        own_rows(t, l.w + at), load_to_rows(t, g->p + at);
        at += scree_cone_dim(&t->cone);
    }
    if (fine) g->problem = problem_of(&p->allocator, bodies, g->count, &l, NULL);
    lists_free(&p->allocator, &l);
    if (!g->problem) return 0;
    if (spheres_create(g->problem, &p->allocator, &g->pile) != SCREE_OK) {
        scree_problem_destroy(g->problem), g->problem = NULL;
        return 0;
    }
    for (int r = 0; r < g->rows; ++r) p->q2 += g->problem->q[r] * g->problem->q[r];
    return 1;
}

/* ---- velocities --------------------------------------------------------------------------------------------------------- */

static void body_get(const sphere_body *b, double v[6])
{
    memcpy(v, b->v, sizeof b->v), memcpy(v + 3, b->w, sizeof b->w);
}

static void body_put(sphere_body *b, const double v[6])
{
    memcpy(b->v, v, sizeof b->v), memcpy(b->w, v + 3, sizeof b->w);
}

static void across_in(lmp_pile *p)
{
    sphere_pile *s = &p->part[ACROSS].pile;
    for (int k = 0; k < p->across; ++k) {
        memcpy(p->base[k], p->v[p->of[k]], sizeof p->base[k]);
        body_put(&s->body[k], p->base[k]);
        s->body_old[k] = s->body[k]; /* extrapolated where it is owned */
    }
}

/// Velocities of the loads in both parts, each from the free ones.
static int apply(lmp_pile *p)
{
    part *in = &p->part[INSIDE], *out = &p->part[ACROSS];
    if (in->problem && !spheres_begin(&in->pile, in->problem, &p->allocator, NULL, in->p)) return 0;
    if (out->problem && !spheres_begin(&out->pile, out->problem, &p->allocator, NULL, out->p)) return 0;
    for (int b = 0; b < p->bodies; ++b) {
        if (in->problem) body_get(&in->pile.body[b], p->v[b]);
        else memcpy(p->v[b], p->body[b].v, sizeof p->v[b]);
    }
    for (int k = 0; k < p->across; ++k) memcpy(p->base[k], p->body[p->of[k]].v, sizeof p->base[k]);
    return 1;
}

int lmp_pile_begin(lmp_pile *p, int bodies, const lmp_body *body, const int count[LMP_GROUPS],
                   lmp_touch *const touch[LMP_GROUPS])
{
    const scree_allocator *a = &p->allocator;
    clear(p);
    p->bodies = bodies, p->body = body, p->across = 0, p->q2 = 0.0;
    p->place = memory_array(a, (size_t)bodies + 1, sizeof *p->place);
    p->of = memory_array(a, (size_t)bodies + 1, sizeof *p->of);
    p->v = memory_array(a, (size_t)bodies + 1, sizeof *p->v);
    p->v_old = memory_array(a, (size_t)bodies + 1, sizeof *p->v_old);
    p->base = memory_array(a, (size_t)bodies + 1, sizeof *p->base);
    if (!p->place || !p->of || !p->v || !p->v_old || !p->base) return 0;
    for (int b = 0; b < bodies; ++b) {
        p->place[b] = body[b].across ? p->across : -1;
        if (body[b].across) p->of[p->across++] = b;
    }
    for (int g = 0; g < LMP_GROUPS; ++g) {
        p->part[g].count = count[g], p->part[g].touch = touch[g];
        if (!part_make(p, g)) return 0;
    }
    if (!apply(p)) return 0;
    memcpy(p->v_old, p->v, (size_t)bodies * sizeof *p->v);
    return 1;
}

int lmp_pile_again(lmp_pile *p)
{
    for (int g = 0; g < LMP_GROUPS; ++g)
        if (p->part[g].problem) spheres_loads_to(&p->part[g].pile, p->part[g].problem, NULL, p->part[g].p);
    return apply(p);
}

double *lmp_pile_velocity(lmp_pile *p, int body)
{
    return p->v[body];
}

/* ---- a sweep ------------------------------------------------------------------------------------------------------------ */

double lmp_pile_inside(lmp_pile *p, double beta)
{
    part *g = &p->part[INSIDE];
    for (int b = 0; b < p->bodies; ++b)
        for (int k = 0; k < 6; ++k) {
            const double now = p->v[b][k];
            p->v[b][k] += beta * (now - p->v_old[b][k]), p->v_old[b][k] = now;
        }
    if (!g->problem) return 0.0;
    for (int b = 0; b < p->bodies; ++b) body_put(&g->pile.body[b], p->v[b]), g->pile.body_old[b] = g->pile.body[b];
    const double change = spheres_sweep(&g->pile, beta, NULL);
    for (int b = 0; b < p->bodies; ++b) body_get(&g->pile.body[b], p->v[b]);
    return change;
}

double lmp_pile_across(lmp_pile *p, double beta)
{
    part *g = &p->part[ACROSS];
    if (!g->problem) return 0.0;
    across_in(p);
    return spheres_sweep(&g->pile, beta, NULL);
}

void lmp_pile_change(const lmp_pile *p, int body, double change[6])
{
    const int k = p->place[body];
    memset(change, 0, 6 * sizeof *change);
    if (k < 0 || !p->part[ACROSS].problem) return;
    body_get(&p->part[ACROSS].pile.body[k], change);
    for (int i = 0; i < 6; ++i) change[i] = (change[i] - p->base[k][i]) / p->body[body].share;
}

/* ---- what was reached --------------------------------------------------------------------------------------------------- */

void lmp_pile_check(lmp_pile *p, double sums[3])
{
    memset(sums, 0, 3 * sizeof *sums);
    across_in(p);
    for (int g = 0; g < LMP_GROUPS; ++g) {
        part *of = &p->part[g];
        double own[3];
        if (!of->problem) continue;
        if (g == INSIDE)
            for (int b = 0; b < p->bodies; ++b) body_put(&of->pile.body[b], p->v[b]);
        spheres_sums(&of->pile, NULL, own);
        for (int i = 0; i < 3; ++i) sums[i] += own[i];
    }
}

double lmp_pile_q2(const lmp_pile *p)
{
    return p->q2;
}

static double size_of_load(const double *x, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; ++i) s += x[i] * x[i];
    return sqrt(s);
}

/// The largest |l| - mu r_N over r_N.
static double excess(const scree_cone *cone, const double *load)
{
    const double size[3] = {size_of_load(load + 1, 3), size_of_load(load + 4, 3), fabs(load[7])};
    double worst = load[0] < 0.0 ? 1.0 : 0.0;
    for (int k = 0; k < 3; ++k)
        if (cone->size[k] && load[0] > 0.0) worst = fmax(worst, (size[k] - cone->coef[k] * load[0]) / load[0]);
    return worst;
}

void lmp_pile_certify(lmp_pile *p, double worst[2])
{
    worst[0] = worst[1] = 0.0;
    for (int g = 0; g < LMP_GROUPS; ++g)
        for (const lmp_touch *t = p->part[g].touch; t < p->part[g].touch + p->part[g].count; ++t) {
            const double *b = p->v[t->b], *a = t->a < 0 ? t->velocity : p->v[t->a];
            double u = t->bias;
            for (int k = 0; k < 3; ++k) u += t->normal[k] * (b[k] - a[k]);
            worst[0] = fmax(worst[0], -u), worst[1] = fmax(worst[1], excess(&t->cone, t->load));
        }
}

int lmp_pile_loads(lmp_pile *p)
{
    for (int g = 0; g < LMP_GROUPS; ++g) {
        part *of = &p->part[g];
        if (!of->problem) continue;
        spheres_loads_to(&of->pile, of->problem, NULL, of->p);
        for (int c = 0; c < of->count; ++c) load_from_rows(of->p + of->problem->offset[c], &of->touch[c]);
    }
    return 1;
}

/* ---- export ------------------------------------------------------------------------------------------------------------- */

static scree_status rows_write(const char *path, int count, const lmp_touch *touch, const double *p, scree_error *error)
{
    FILE *f = fopen(path, "w");
    for (int c = 0; c < count && f; ++c) {
        const int dim = scree_cone_dim(&touch[c].cone);
        for (int i = 0; i < dim; ++i) fprintf(f, "%.17g%c", *p++, i + 1 < dim ? ' ' : '\n');
    }
    const int fine = f && !ferror(f);
    if (f && fclose(f) == 0 && fine) return SCREE_OK;
    scree_error_set(error, path, 0, 0, "cannot be written");
    return SCREE_ERR_FILE;
}

scree_status lmp_pile_write(int bodies, const lmp_body *body, int count, const lmp_touch *touch, const char *path,
                            const char *reactions, scree_error *error)
{
    const scree_allocator a = memory_allocator(NULL);
    const int rows = rows_of(count, touch);
    lists l;
    scree_status status = SCREE_ERR_MEMORY;
    double *p = memory_array(&a, (size_t)rows + 1, sizeof *p);
    if (lists_make(&a, bodies, count, rows, &l) && p) {
        for (int b = 0; b < bodies; ++b) mass_set(&body[b], 1.0, &l.mass[b], l.v + 6 * b);
        for (int c = 0, at = 0; c < count; ++c) {
            const lmp_touch *t = &touch[c];
            l.contact[c] = contact_of(t, t->a, t->b), l.cone[c] = t->cone;
            own_rows(t, l.w + at), load_to_rows(t, p + at);
            at += scree_cone_dim(&t->cone);
        }
        scree_problem *problem = problem_of(&a, bodies, count, &l, error);
        status = problem ? scree_problem_write(problem, p, path, error) : SCREE_ERR_INPUT;
        if (status == SCREE_OK) status = rows_write(reactions, count, touch, p, error);
        scree_problem_destroy(problem);
    }
    lists_free(&a, &l);
    memory_free(&a, p);
    return status;
}
