/* hello_problem.c: two balls on a floor, one thrown at the other: three contacts, solved with libscree. Valid C and C++;
 * docs/embedding.md builds it.
 *
 * Balls of 2 kg, radius 0.1 m, inertia 0.008 kg m^2, touching along x; ball 0 comes with 1 m/s; gravity has acted for 0.01 s. */
#include <scree/solver.h>

#include <stdio.h>

enum { BALLS = 2, CONTACTS = 3, ROWS = 6 }; /* rows: normal, two tangents, two of rolling, spinning */

int main(void)
{
    /* bodies A and B (-1: the floor, which does not move), normal from A to B, tangent, arms from the centres to the contact */
    const scree_rigid_contact contact[CONTACTS] = {
        {-1, 0, {0, 0, 1}, {1, 0, 0}, {0, 0, 0}, {0, 0, -0.1}},   /* floor and ball 0  */
        {-1, 1, {0, 0, 1}, {1, 0, 0}, {0, 0, 0}, {0, 0, -0.1}},   /* floor and ball 1  */
        {0, 1, {1, 0, 0}, {0, 1, 0}, {0.1, 0, 0}, {-0.1, 0, 0}}}; /* ball 0 and ball 1 */
    const scree_rigid_mass ball = {{0.5, 0.5, 0.5}, {125, 0, 0, 0, 125, 0, 0, 0, 125}}, mass[BALLS] = {ball, ball};
    const double v_free[BALLS * 6] = {1, 0, -0.0981, 0, 0, 0, 0, 0, -0.0981, 0, 0, 0}; /* v, omega of each */
    scree_cone cone[CONTACTS];
    for (int c = 0; c < CONTACTS; ++c) cone[c] = scree_cone_slide_roll_spin(0.3, 0.002, 0.003);

    scree_rigid_def def = scree_rigid_def_default(); /* arrays are copied */
    def.contact_count = CONTACTS, def.contact = contact, def.cone = cone;
    def.body_count = BALLS, def.mass = mass, def.v_free = v_free;

    char text[600];
    scree_error error = {0}; /* once a call fails, those after it do nothing: checked once, below */
    scree_solver_options options = scree_solver_options_default(); /* auto, 1e-8 */
    options.tolerance = 1e-12;
    double p[CONTACTS * ROWS] = {0}, v[BALLS * 6]; /* p: where to start, then the solution */
    scree_problem *problem = scree_problem_from_rigid(&def, &error);
    scree_solver *solver = scree_solver_create(problem, &options, &error);
    scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
    scree_certificate certificate = scree_problem_certify(problem, p, &error);
    scree_problem_body_velocities(problem, p, v, &error);
    scree_solver_destroy(solver);
    scree_problem_destroy(problem);
    if (error.status != SCREE_OK) {
        fprintf(stderr, "%s\n", scree_error_format(&error, text, sizeof text));
        return 1;
    }
    if (info.outcome != SCREE_OUTCOME_CONVERGED) return 1;

    printf("%s, sticking contacts: %d\n", scree_outcome_name(info.outcome), certificate.mode_count[SCREE_MODE_STICK]);
    for (int c = 0; c < CONTACTS; ++c)
        printf("contact %d  r_N %8.5f  r_T %8.5f %8.5f\n", c, p[6 * c], p[6 * c + 1] + 0.0, p[6 * c + 2] + 0.0);
    for (int b = 0; b < BALLS; ++b) printf("ball %d  v_x %8.5f\n", b, v[6 * b]);
    return 0;
}
