/* test_broadphase.c: candidates and contacts against testing every pair; one list for any number of threads, skin and history. */
#include "collision/collide.h"
#include "collision/grid.h"
#include "collision/tree.h"
#include "failing_allocator.h"
#include "math/quat.h"
#include "math/rng.h"
#include "math/scalar.h"
#include "world/world_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- random worlds ------------------------------------------------------------------------------------------------------ */

typedef struct cloud_def {
    uint64_t seed;
    int count;
    double side;       /* of the cube they are in [m]                          */
    double ratio;      /* radii between 0.01 and 0.01 ratio, log-uniform to r^-2 */
    double speed;      /* [m/s]                                                */
    int planes, walls; /* fixed planes; driven boxes                           */
    int mixed;         /* 1: a fifth boxes, capsules, ellipsoids, pairs of spheres */
} cloud_def;

static double between(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

static void random_rotation(rng *r, double q[4])
{
    for (int k = 0; k < 4; ++k) q[k] = between(r, -1.0, 1.0);
    q[0] += 1e-3;
    quat_normalise(q);
}

static void add_walls(scree_world *w, const cloud_def *def, rng *r)
{
    for (int i = 0; i < def->planes; ++i) {
        scree_body_def body = scree_body_def_default();
        scree_shape shape = scree_shape_plane(scree_material_at(0));
        body.shapes = &shape, body.shape_count = 1, body.kind = SCREE_BODY_FIXED, body.name = "plane";
        for (int k = 0; k < 3; ++k) body.position[k] = between(r, 0.2, 0.8) * def->side;
        random_rotation(r, body.rotation);
        if (i == 1) { /* one that tilts */
            static const double time[1] = {0.0}, value[3] = {0.3, -0.2, 0.5};
            body.kind = SCREE_BODY_DRIVEN, body.motion.spin = (scree_table){1, time, value};
        }
        assert_true(scree_body_index(scree_world_add_body(w, &body, NULL)) >= 0);
    }
    for (int i = 0; i < def->walls; ++i) {
        scree_body_def body = scree_body_def_default();
        scree_shape shape = scree_shape_box(0.5 * def->side, 0.02, 0.3 * def->side, scree_material_at(0));
        body.shapes = &shape, body.shape_count = 1, body.kind = SCREE_BODY_DRIVEN, body.name = "wall";
        for (int k = 0; k < 3; ++k)
            body.position[k] = between(r, 0.0, 1.0) * def->side, body.motion.amplitude[k] = 0.02;
        random_rotation(r, body.rotation);
        body.motion.frequency = 3.0;
        assert_true(scree_body_index(scree_world_add_body(w, &body, NULL)) >= 0);
    }
}

static int random_shapes(const cloud_def *def, rng *r, double radius, scree_shape shape[2])
{
    shape[0] = scree_shape_sphere(radius, scree_material_at(0));
    if (!def->mixed || rng_uniform(r) > 0.4) return 1;
    double kind = rng_uniform(r);
    if (kind < 0.25) {
        shape[0] = scree_shape_box(radius, 0.5 * radius, 0.7 * radius, scree_material_at(0));
    } else if (kind < 0.5) {
        shape[0] = scree_shape_capsule(0.5 * radius, radius, scree_material_at(0));
    } else if (kind < 0.75) {
        shape[0] = scree_shape_ellipsoid(radius, 0.6 * radius, 0.8 * radius, scree_material_at(0));
    } else {
        shape[1] = scree_shape_sphere(0.7 * radius, scree_material_at(0));
        shape[1].position[0] = 1.1 * radius, shape[1].position[2] = 0.2 * radius;
        return 2;
    }
    return 1;
}

static void add_grains(scree_world *w, const cloud_def *def, int count, rng *r)
{
    for (int i = 0; i < count; ++i) {
        scree_body_def body = scree_body_def_default();
        scree_shape shape[2];
        double u = rng_uniform(r), radius = 0.01 / (1.0 - u * (1.0 - 1.0 / def->ratio));
        body.shapes = shape, body.shape_count = random_shapes(def, r, radius, shape), body.name = "grain";
        for (int k = 0; k < 3; ++k) {
            body.position[k] = between(r, 0.0, def->side);
            body.velocity[k] = between(r, -def->speed, def->speed);
            body.spin[k] = between(r, -10.0, 10.0) * (def->speed > 0.0);
        }
        random_rotation(r, body.rotation);
        assert_true(scree_body_index(scree_world_add_body(w, &body, NULL)) >= 0);
    }
}

static scree_world *make_cloud(const cloud_def *def, const scree_allocator *allocator)
{
    scree_world_options options = scree_world_options_default();
    options.margin = 1e-3;
    scree_world *w = NULL;
    options.allocator = allocator;
    w = scree_world_create(&options, NULL);
    assert_non_null(w);
    scree_material stone = {.soft = scree_dem_default(),
                            .name = "stone",
                            .density = 2500.0,
                            .friction = {.mu = 0.5, .rolling = {0.1, 1}, .spinning = {0.01, 1}}};
    assert_true(scree_material_index(scree_world_add_material(w, &stone, NULL)) >= 0);
    rng r = rng_make(def->seed, 1);
    add_walls(w, def, &r);
    add_grains(w, def, def->count, &r);
    return w;
}

/// Free flight, as a stepper would do it: enough to use up allowances.
static void fly(scree_world *w, double h)
{
    for (int b = 0; b < w->body_count; ++b) {
        double omega[3], turn[3], dq[4], q[4];
        body_spin_world(w, b, omega);
        if (w->kind[b] == SCREE_BODY_DRIVEN) body_driven_velocity(w, b, w->time, h, w->v[b], omega);
        for (int k = 0; k < 3; ++k) w->x[b][k] += h * w->v[b][k], turn[k] = h * omega[k];
        quat_exp(turn, dq);
        quat_mul(dq, w->q[b], q);
        quat_normalise(q);
        memcpy(w->q[b], q, sizeof q);
        quat_rotate_inverse(w->q[b], omega, w->omega[b]);
    }
    w->time += h;
}

/* ---- the slow twin ------------------------------------------------------------------------------------------------------ */

typedef struct seen {
    int a, b;
    double gap;
} seen;

static posed_shape pose(const scree_world *w, int s)
{
    int b = w->shape_body[s];
    double q[4], offset[3];
    posed_shape p = {.kind = w->shape[s].kind, .size = w->shape[s].size};
    quat_mul(w->q[b], w->shape[s].rotation, q);
    quat_matrix(q, p.R);
    quat_rotate(w->q[b], w->shape[s].position, offset);
    vec_add_scaled(w->x[b], 1.0, offset, p.x);
    return p;
}

/// What a shape may close in h, as detect.c states it.
static double travel(const scree_world *w, int s, const double other[3], double h)
{
    int b = w->shape_body[s];
    double v[3], omega[3], lever = vec_norm(w->shape[s].position), r[3];
    memcpy(v, w->v[b], sizeof v), memcpy(omega, w->omega[b], sizeof omega);
    if (w->kind[b] == SCREE_BODY_DRIVEN) body_driven_velocity(w, b, w->time, h, v, omega);
    if (w->shape[s].kind == SCREE_SHAPE_PLANE) {
        vec_sub(other, w->x[b], r);
        lever = vec_norm(r);
    } else if (w->shape[s].kind != SCREE_SHAPE_SPHERE) {
        lever += w->shape_extent[s];
    }
    return h * (vec_norm(v) + lever * vec_norm(omega));
}

/// Contact points of all pairs: (a, b, gap), in the order of (a, b). `doubtful` counts gaps so near the limit that rounding decides.
static int brute_force(const scree_world *w, double h, seen *out, int room, int *doubtful)
{
    int count = 0;
    double slack = w->options.margin + vec_norm(w->options.gravity) * h * h;
    *doubtful = 0;
    for (int a = 0; a < w->shape_count; ++a)
        for (int b = a + 1; b < w->shape_count; ++b) {
            int body_a = w->shape_body[a], body_b = w->shape_body[b];
            if (body_a == body_b || (w->kind[body_a] != SCREE_BODY_DYNAMIC && w->kind[body_b] != SCREE_BODY_DYNAMIC))
                continue;
            if (w->kind[body_a] == SCREE_BODY_REMOVED || w->kind[body_b] == SCREE_BODY_REMOVED) continue;
            posed_shape p = pose(w, a), q = pose(w, b);
            double reach = slack + travel(w, a, q.x, h) + travel(w, b, p.x, h);
            if (p.kind == SCREE_SHAPE_PLANE ||
                q.kind == SCREE_SHAPE_PLANE) { /* a plane that turns: the far side of the shape counts */
                double v[3], omega[3];
                int plane = p.kind == SCREE_SHAPE_PLANE ? body_a : body_b, other = p.kind == SCREE_SHAPE_PLANE ? b : a;
                body_driven_velocity(w, plane, w->time, h, v, omega);
                reach += h * vec_norm(omega) * w->shape_extent[other];
            }
            manifold m = {0};
            collide(&p, &q, reach, &m);
            for (int i = 0; i < m.count; ++i) {
                assert_true(count < room);
                out[count++] = (seen){a, b, m.point[i].gap};
                *doubtful += fabs(m.point[i].gap - reach) < 1e-12;
            }
        }
    return count;
}

static void compare_with_all_pairs(scree_world *w, double h)
{
    enum { ROOM = 400000 };
    seen *list = malloc(ROOM * sizeof *list);
    int doubtful, expected = brute_force(w, h, list, ROOM, &doubtful);
    assert_int_equal(scree_world_detect(w, h, NULL, NULL), SCREE_OK);
    const scree_contact_point *touch = scree_world_contacts(w);
    assert_int_equal(doubtful, 0);
    {
        if (expected != scree_world_contact_count(w))
            print_message("%d contacts, expected %d\n", scree_world_contact_count(w), expected);
        assert_int_equal(scree_world_contact_count(w), expected);
        for (int i = 0, run = 0; i < expected; i = run) { /* points of one pair come in the order of their features */
            double gaps = 0.0, others = 0.0;
            for (; run < expected && list[run].a == list[i].a && list[run].b == list[i].b; ++run) {
                assert_int_equal(touch[run].shape_a, list[run].a);
                assert_int_equal(touch[run].shape_b, list[run].b);
                assert_true(run == i || touch[run - 1].feature < touch[run].feature);
                gaps += touch[run].gap, others += list[run].gap;
            }
            assert_true(fabs(gaps - others) <= 1e-9);
        }
    }
    free(list);
}

static void contacts_are_those_of_all_pairs(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    static const cloud_def clouds[] = {
        {.seed = 1, .count = 1500, .side = 0.3, .ratio = 1.0, .speed = 0.2, .planes = 2},
        {.seed = 2, .count = 1500, .side = 1.0, .ratio = 100.0, .speed = 0.2, .planes = 1},
        {.seed = 3, .count = 1500, .side = 0.4, .ratio = 2.0, .speed = 3.0},
        {.seed = 4, .count = 600, .side = 0.4, .ratio = 4.0, .speed = 0.5, .planes = 3, .walls = 3},
        {.seed = 5, .count = 400, .side = 0.3, .ratio = 3.0, .speed = 0.5, .planes = 2, .walls = 2, .mixed = 1},
        {.seed = 6, .count = 12, .side = 0.1, .ratio = 2.0, .speed = 0.5, .planes = 1},
        {.seed = 7, .count = 1200, .side = 6.0, .ratio = 1000.0, .speed = 0.0},
    };
    const int steps = SCREE_SAMPLE_SHARE > 1 ? 3 : 8; /* all pairs are slow under a sanitizer */
    for (size_t i = 0; i < sizeof clouds / sizeof *clouds; ++i) {
        scree_world *w = make_cloud(&clouds[i], NULL);
        long contacts = 0;
        for (int step = 0; step < steps; ++step) {
            compare_with_all_pairs(w, 2e-3);
            contacts += scree_world_contact_count(w);
            fly(w, 2e-3);
        }
        broadphase_figures f = broadphase_report(w->broad);
        print_message("cloud %zu: %ld contacts in %d steps, %d levels, %d in the tree, %ld rebuilds\n", i, contacts,
                      steps, f.levels, f.in_tree, (long)f.rebuilds);
        assert_true(contacts > 20);
        assert_true(clouds[i].ratio < 10.0 || f.levels > 1);
        scree_world_destroy(w);
    }
}

static void added_moved_and_removed_bodies_are_seen(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    cloud_def def = {.seed = 11, .count = 800, .side = 0.3, .ratio = 3.0, .speed = 0.3, .planes = 1};
    scree_world *w = make_cloud(&def, NULL);
    rng r = rng_make(77, 0);
    for (int step = 0; step < 12; ++step) {
        compare_with_all_pairs(w, 1e-3);
        fly(w, 1e-3);
        add_grains(w, &def, step == 8 ? 200 : 5, &r);
        scree_world_remove_body(w, scree_body_at(1 + 7 * step));
        if (step == 5)
            scree_world_set_state(w, scree_body_at(100), (const double[3]){0.01, 0.02, 0.1}, NULL, NULL, NULL);
    }
    broadphase_figures f = broadphase_report(w->broad);
    print_message("%ld updates, %ld rebuilds, %ld shapes added without\n", (long)f.updates, (long)f.rebuilds,
                  (long)f.additions);
    assert_true(f.additions > 0 && f.rebuilds < f.updates);
    scree_world_destroy(w);
}

static void bodies_far_away_cost_no_memory(void **state)
{
    (void)state;
    cloud_def def = {.seed = 12, .count = 1000, .side = 0.3, .ratio = 1.5, .speed = 0.1, .planes = 1};
    scree_world *w = make_cloud(&def, NULL);
    compare_with_all_pairs(w, 1e-3);
    size_t before = broadphase_report(w->broad).bytes;
    static const double places[4][3] = {{1e9, 0, 0}, {-1e12, 1e12, 3e11}, {0, 1e15, -1e300}, {1e20, 1e20, 1e20}};
    for (int i = 0; i < 4; ++i) scree_world_set_state(w, scree_body_at(100 + 50 * i), places[i], NULL, NULL, NULL);
    compare_with_all_pairs(w, 1e-3);
    assert_true(broadphase_report(w->broad).rebuilds == 2);
    assert_true(broadphase_report(w->broad).bytes <= 2 * before);
    scree_world_set_state(w, scree_body_at(600), (const double[3]){(double)NAN, 0, 0}, NULL, NULL, NULL);
    scree_world_set_state(w, scree_body_at(601), NULL, NULL, (const double[3]){(double)INFINITY, 0, 0}, NULL);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    for (int i = 0; i < scree_world_contact_count(w); ++i) {
        const scree_contact_point *c = scree_world_contacts(w) + i;
        assert_true(c->body_a != 600 && c->body_b != 600 && c->body_a != 601 && c->body_b != 601);
    }
    scree_world_destroy(w);
}

/* ---- the same bits ------------------------------------------------------------------------------------------------------ */

static uint64_t run_hash(const cloud_def *def, scree_pool *pool, int forget)
{
    scree_world *w = make_cloud(def, NULL);
    rng r = rng_make(99, 0);
    for (int step = 0; step < (SCREE_SAMPLE_SHARE > 1 ? 6 : 20); ++step) {
        if (forget) broadphase_invalidate(w->broad);
        assert_int_equal(scree_world_detect(w, 1e-3, pool, NULL), SCREE_OK);
        for (int i = 0; i < w->contacts.count; ++i) /* loads that show whether they were carried to the right contact */
            for (int k = 0; k < 6; ++k)
                w->contacts.touch[i].impulse[k] += 1e-3 * (k + 1) + 1e-6 * w->contacts.touch[i].shape_b;
        fly(w, 1e-3);
        if (step % 5 == 4) add_grains(w, def, 10, &r);
    }
    uint64_t hash = scree_world_hash(w);
    scree_world_destroy(w);
    return hash;
}

static void threads_and_skin_change_no_bit(void **state)
{
    (void)state;
    static const cloud_def clouds[] = {
        {.seed = 21, .count = 6000, .side = 0.45, .ratio = 1.5, .speed = 0.5, .planes = 2},
        {.seed = 22, .count = 3000, .side = 0.6, .ratio = 20.0, .speed = 0.5, .planes = 2, .walls = 2, .mixed = 1},
    };
    for (size_t i = 0; i < sizeof clouds / sizeof *clouds; ++i) {
        uint64_t one = run_hash(&clouds[i], NULL, 0);
        assert_true(run_hash(&clouds[i], NULL, 1) == one);
        for (int threads = 1; threads <= 5; threads += SCREE_SAMPLE_SHARE > 1 ? 2 : 1) { /* 3 forgets */
            scree_pool *pool = scree_pool_create(threads, NULL, NULL);
            assert_non_null(pool);
            assert_true(run_hash(&clouds[i], pool, threads == 3) == one);
            scree_pool_destroy(pool);
        }
    }
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

static void nothing_is_allocated_once_warm(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    failing c = {.left = -1};
    scree_allocator allocator = failing_allocator(&c);
    cloud_def def = {
        .seed = 31, .count = 3000, .side = 0.5, .ratio = 5.0, .speed = 0.5, .planes = 2, .walls = 1, .mixed = 1};
    scree_world *w = make_cloud(&def, &allocator);
    vec3 *x = malloc((size_t)w->body_count * sizeof *x);
    for (int round = 0; round < 3; ++round) {
        int before = c.made;
        if (round == 0) memcpy(x, w->x, (size_t)w->body_count * sizeof *x);
        memcpy(w->x, x,
               (size_t)w->body_count * sizeof *x); /* the same flight again: the arrays have seen its largest step */
        w->time = 0.0;
        for (int step = 0; step < 30; ++step) {
            assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
            fly(w, 1e-3);
        }
        if (round == 2) assert_int_equal(c.made, before);
    }
    assert_true(broadphase_report(w->broad).rebuilds > 6);
    free(x);
    scree_world_destroy(w);
    assert_int_equal(c.live, 0);
}

static void detection_survives_every_failing_allocation(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    cloud_def def = {
        .seed = 32, .count = 900, .side = 0.5, .ratio = 30.0, .speed = 0.5, .planes = 2, .walls = 2, .mixed = 1};
    scree_world *twin = make_cloud(&def, NULL);
    assert_int_equal(scree_world_detect(twin, 1e-3, NULL, NULL), SCREE_OK);
    uint64_t expected = scree_world_hash(twin);
    scree_world_destroy(twin);
    long failures = 0;
    for (int k = 0;; ++k) {
        failing c = {.left = -1};
        scree_allocator allocator = failing_allocator(&c);
        scree_world *w = make_cloud(&def, &allocator);
        uint64_t before = scree_world_hash(w);
        c.left = k;
        scree_status status = scree_world_detect(w, 1e-3, NULL, NULL);
        c.left = -1;
        if (status != SCREE_OK) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(scree_world_hash(w) == before);
            assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK); /* and it can go on */
            ++failures;
        }
        assert_true(scree_world_hash(w) == expected);
        scree_world_destroy(w);
        assert_int_equal(c.live, 0);
        if (status == SCREE_OK) break;
    }
    print_message("%ld places where memory can run out\n", failures);
    assert_true(failures > 15);
}

/* ---- the parts ------------------------------------------------------------------------------------------------------------ */

typedef struct pair_set {
    const grid *g;
    int from;
    unsigned char *seen; /* (n x n) */
    int n;
} pair_set;

static void mark(void *context, int from, int to)
{
    pair_set *set = context;
    for (int p = from; p < to; ++p) {
        int a = set->g->id[set->from], b = set->g->id[p];
        ++set->seen[a * set->n + b];
        if (a != b) ++set->seen[b * set->n + a];
    }
}

static void a_grid_offers_every_overlapping_pair_once(void **state)
{
    (void)state;
    enum { N = 700 };
    fat_ball *ball = calloc(N, sizeof *ball);
    int *member = calloc(N, sizeof *member);
    unsigned char *pairs = malloc((size_t)N * N);
    for (int round = 0; round < 20; ++round) {
        rng r = rng_make(41, (uint64_t)round);
        double shift = round % 5 == 4 ? 1e7 : 0.0; /* far from the origin */
        for (int i = 0; i < N; ++i) {
            member[i] = i;
            ball[i].r = round % 2 ? 0.02 * pow(100.0, -rng_uniform(&r)) : 0.02;
            for (int k = 0; k < 3; ++k) ball[i].x[k] = shift + between(&r, -0.1, 0.1) * (i % 50 == 0 ? 30.0 : 1.0);
        }
        grid g = {0};
        scree_allocator a = scree_allocator_default();
        assert_int_equal(grid_build(&g, &a, ball, member, N), SCREE_OK);
        memset(pairs, 0, (size_t)N * N);
        pair_set set = {&g, 0, pairs, N};
        for (set.from = 0; set.from < N; ++set.from)
            grid_neighbours(&g, set.from, grid_level_of(&g, set.from), mark, &set);
        long overlapping = 0;
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < i; ++j) {
                double d[3], sum = ball[i].r + ball[j].r;
                vec_sub(ball[i].x, ball[j].x, d);
                assert_true(pairs[i * N + j] <= 1);
                if (vec_dot(d, d) > sum * sum) continue;
                assert_int_equal(pairs[i * N + j], 1);
                ++overlapping;
            }
        assert_true(overlapping > 100);
        assert_true(round % 2 ? g.level_count > 1 : g.level_count == 1);
        grid_free(&g, &a);
    }
    free(ball), free(member), free(pairs);
}

static void collect(void *context, int id)
{
    ++((int *)context)[id];
}

static void a_tree_offers_every_overlapping_box(void **state)
{
    (void)state;
    enum { N = 300 };
    tree t = {0};
    scree_allocator a = scree_allocator_default();
    rng r = rng_make(51, 0);
    tree_box box[N];
    assert_int_equal(tree_reserve(&t, &a, N), SCREE_OK);
    for (int i = 0; i < N; ++i) {
        box[i].id = i;
        for (int k = 0; k < 3; ++k) {
            box[i].low[k] = between(&r, 0.0, 1.0);
            box[i].high[k] = box[i].low[k] + between(&r, 0.0, 0.3);
        }
        t.leaf[i] = box[i];
    }
    tree_build(&t, N);
    assert_int_equal(t.count, 2 * N - 1);
    for (int i = 0; i < N; ++i) {
        int found[N] = {0};
        tree_query(&t, box[i].low, box[i].high, collect, found);
        for (int j = 0; j < N; ++j) {
            int meets = 1;
            for (int k = 0; k < 3; ++k)
                meets = meets && box[i].low[k] <= box[j].high[k] && box[j].low[k] <= box[i].high[k];
            assert_int_equal(found[j], meets);
        }
    }
    tree_build(&t, 0);
    tree_query(&t, box[0].low, box[0].high, collect, NULL);
    tree_free(&t, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_offers_every_overlapping_pair_once),
        cmocka_unit_test(a_tree_offers_every_overlapping_box),
        cmocka_unit_test(contacts_are_those_of_all_pairs),
        cmocka_unit_test(added_moved_and_removed_bodies_are_seen),
        cmocka_unit_test(bodies_far_away_cost_no_memory),
        cmocka_unit_test(threads_and_skin_change_no_bit),
        cmocka_unit_test(nothing_is_allocated_once_warm),
        cmocka_unit_test(detection_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
