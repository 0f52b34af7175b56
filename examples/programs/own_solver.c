/* own_solver.c: a solver of one's own, added to the library by a program: p <- proj_K(p - s yhat), with a fixed step s.
 * It is then used by its name like any other; stopping rule, time limit, trace, best point and final residual are the library's.
 * Valid C and C++; docs/adding-a-solver.md explains it. */
#include <scree/solver.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct damped {
    double step; /* [kg] */
} damped;

static void *create(const scree_problem *problem, const scree_solver_options *options, void *context,
                    scree_error *error)
{
    damped *d = (damped *)calloc(1, sizeof *d);
    (void)problem, (void)context;
    if (d) d->step = options->step > 0.0 ? options->step : 0.1;
    else error->status = SCREE_ERR_MEMORY;
    return d;
}

static void solve(void *memory, const scree_problem *problem, double *p, scree_monitor *monitor)
{
    const damped *d = (const damped *)memory;
    const scree_problem_view v = scree_problem_parts(problem);
    for (int k = 0; !scree_monitor_check(monitor, k, p); ++k) {
        const double *y = scree_monitor_velocity(monitor);
        for (int c = 0; c < v.contact_count; ++c) {
            double *p_c = p + v.offset[c], yhat[SCREE_DIM_MAX];
            scree_de_saxce(&v.cone[c], y + v.offset[c], yhat);
            for (int i = 0; i < scree_cone_dim(&v.cone[c]); ++i) p_c[i] -= d->step * yhat[i];
            scree_cone_project(&v.cone[c], p_c, p_c);
        }
    }
}

int main(void)
{
    scree_error e = {0};
    scree_solver_method method = scree_solver_method_default();
    method.name = "damped", method.summary = "projected gradient with a fixed step";
    method.matrix_free = 1, method.takes_convex = 0;
    method.create = create, method.solve = solve, method.destroy = free;
    scree_solver_register(&method, &e);

    /* two balls of 1 kg, one on the other, one on the floor: gravity has acted for 0.01 s */
    const scree_cone cone[2] = {scree_cone_slide(0.3), scree_cone_slide(0.3)};
    const scree_rigid_contact contact[2] = {{-1, 0, {0, 0, 1}, {1, 0, 0}, {0, 0, 0}, {0, 0, -1}},
                                            {0, 1, {0, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 0, -1}}};
    const scree_rigid_mass ball = {{1, 1, 1}, {2.5, 0, 0, 0, 2.5, 0, 0, 0, 2.5}}, mass[2] = {ball, ball};
    const double v_free[12] = {0, 0, -0.0981, 0, 0, 0, 0, 0, -0.0981, 0, 0, 0};
    scree_rigid_def def = scree_rigid_def_default();
    def.contact_count = def.body_count = 2, def.contact = contact, def.cone = cone, def.mass = mass,
    def.v_free = v_free;
    scree_problem *problem = scree_problem_from_rigid(&def, &e);
    scree_solver_options options = scree_solver_options_default();
    options.name = "damped";
    scree_solver *solver = scree_solver_create(problem, &options, &e);
    double p[6] = {0};
    scree_solve_info info = scree_solver_solve(solver, problem, p, &e);
    if (e.status) fprintf(stderr, "%s\n", e.text);
    else printf("%s: %s, r_N %.4f and %.4f\n", info.solver, scree_outcome_name(info.outcome), p[0], p[3]);
    scree_solver_destroy(solver);
    scree_problem_destroy(problem);
    return e.status || info.outcome != SCREE_OUTCOME_CONVERGED;
}
