/* test_options.c: the library never writes the options, materials and bodies that it is given. They lie in memory that cannot be written, so
 * that a write ends the test. */
#define _DEFAULT_SOURCE /* mmap without a file */
#include "soft_scene.h"

#include "problems.h"

#include <scree/solver.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/// A copy that can only be read.
static const void *read_only(const void *from, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED && size <= page);
    memcpy(at, from, size);
    assert_int_equal(mprotect(at, page, PROT_READ), 0);
    return at;
}

static void give_back(const void *at)
{
    union {
        const void *read;
        void *write;
    } p = {at};
    munmap(p.write, (size_t)sysconf(_SC_PAGESIZE));
}

static void steps_write_no_options(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCREE_SCHEME_COUNT; ++scheme) {
        scree_world_options of_world = scree_world_options_default();
        scree_stepper_options of_stepper = scree_stepper_options_default();
        scree_material rubber = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
        scree_error error = {0};
        of_world.soft = scheme == SCREE_SCHEME_DEM;
        of_stepper.scheme = (scree_scheme)scheme, of_stepper.step = of_world.soft ? 1e-5 : 1e-3, of_stepper.threads = 2;
        of_stepper.on_failure = SCREE_ON_FAILURE_RETRY;
        const scree_world_options *for_world = read_only(&of_world, sizeof of_world);
        const scree_stepper_options *for_stepper = read_only(&of_stepper, sizeof of_stepper);
        const scree_material *material = read_only(&rubber, sizeof rubber);
        scree_world *world = scree_world_create(for_world, &error);
        scree_material_id id = scree_world_add_material(world, material, &error);
        const scree_shape plane = scree_shape_plane(id);
        scree_world_add_fixed(world, plane, &error);
        for (int k = 0; k < 20; ++k) {
            scree_body_def ball = scree_body_def_of(scree_shape_sphere(0.1, id));
            const int column = k % 4, layer = k / 4;
            ball.position[0] = 0.11 * column, ball.position[2] = 0.099 + 0.19 * layer;
            const scree_body_def *def = read_only(&ball, sizeof ball);
            scree_world_add_body(world, def, &error);
            give_back(def);
        }
        scree_stepper *stepper = scree_stepper_create(for_stepper, &error);
        scree_stepper_check(stepper, world, NULL, &error);
        scree_step_report report;
        scree_advance(stepper, world, 100, &report, &error);
        expect_ok(error.status, &error);
        assert_true(report.contacts > 10);
        give_back(for_world), give_back(for_stepper), give_back(material);
        soft_finish(world, stepper);
    }
}

static void solves_write_no_options(void **state)
{
    (void)state;
    const scree_solver_class *class;
    pile_def def = pile_def_default();
    def.grains = 20;
    scree_problem *problem = problem_of_pile(&def);
    double *p = calloc((size_t)scree_problem_parts(problem).row_count, sizeof *p);
    assert_non_null(p);
    for (int k = 0; (class = scree_solver_class_at(k)); ++k) {
        scree_solver_options given = scree_solver_options_default();
        scree_error error = {0};
        given.name = scree_solver_class_name(class), given.max_iterations = 50, given.threads = 2;
        const scree_solver_options *options = read_only(&given, sizeof given);
        scree_solver *solver = scree_solver_create(problem, options, &error);
        memset(p, 0, (size_t)scree_problem_parts(problem).row_count * sizeof *p);
        const scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
        if (error.status != SCREE_ERR_UNSUPPORTED) {
            expect_ok(error.status, &error);
            assert_true(info.iterations > 0);
        }
        scree_solver_destroy(solver);
        give_back(options);
    }
    free(p);
    scree_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_write_no_options),
        cmocka_unit_test(solves_write_no_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
