/* many_contacts.c: two balls on a floor, one thrown at the other: three contacts, solved with libscree. Valid C and C++;
 * docs/embedding.md builds it.
 *
 * Balls of 2 kg, radius 0.1 m, inertia 0.008 kg m^2, touching along x; ball 0 comes with 1 m/s; gravity has acted for 0.01 s.
 *     contact 0: floor and ball 0      contact 1: floor and ball 1      contact 2: ball 0 (A) and ball 1 (B)
 * A body has six velocities, v and w. A contact has six rows: normal, two tangents, two of rolling, spinning. */
#include <scree/solver.h>

#include <stdio.h>

enum { BALLS = 2, CONTACTS = 3, ENTRIES = 4, ROWS = 6, DOFS = 6 };

/// The rows of a contact on the velocity of one ball; arm: from its centre to the contact along n; sign: B +1, A -1.
static void block_of(const double frame[3][3], double arm, double sign, double B[ROWS * DOFS])
{
    const double *n = frame[0], *t1 = frame[1], *t2 = frame[2]; /* right-handed: n x t1 = t2, n x t2 = -t1 */
    for (int i = 0; i < 3; ++i) {
        B[i] = sign * n[i];
        B[6 + i] = sign * t1[i], B[6 + 3 + i] = sign * arm * t2[i]; /* t1 . (w x arm n) = w . arm t2 */
        B[12 + i] = sign * t2[i], B[12 + 3 + i] = -sign * arm * t1[i];
        B[18 + 3 + i] = sign * t1[i], B[24 + 3 + i] = sign * t2[i], B[30 + 3 + i] = sign * n[i];
    }
}

static int fail(const scree_error *error)
{
    char text[600];
    fprintf(stderr, "%s\n", scree_error_format(error, text, sizeof text));
    return 1;
}

int main(void)
{
    const double mass = 2.0, inertia = 0.008, radius = 0.1;
    const double up[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, along[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    /* the blocks of H': which contact, which ball, and the 6 x 6 values, one after the other */
    const int contact_of[ENTRIES] = {0, 1, 2, 2}, ball_of[ENTRIES] = {0, 1, 0, 1};
    double H[ENTRIES][ROWS * DOFS] = {{0}};
    block_of(up, -radius, 1.0, H[0]);
    block_of(up, -radius, 1.0, H[1]);
    block_of(along, radius, -1.0, H[2]);
    block_of(along, -radius, 1.0, H[3]);

    const int dof[BALLS] = {DOFS, DOFS};
    double inv_mass[BALLS][DOFS * DOFS] = {{0}}, v[BALLS][DOFS] = {{1, 0, -0.0981}, {0, 0, -0.0981}};
    for (int b = 0; b < BALLS; ++b)
        for (int i = 0; i < DOFS; ++i) inv_mass[b][7 * i] = 1.0 / (i < 3 ? mass : inertia);
    scree_cone cone[CONTACTS];
    for (int c = 0; c < CONTACTS; ++c) cone[c] = scree_cone_slide_roll_spin(0.3, 0.002, 0.003);

    scree_problem_def def = scree_problem_def_default(); /* arrays are copied */
    def.contact_count = CONTACTS, def.cone = cone;
    def.entry_count = ENTRIES, def.entry_row = contact_of, def.entry_column = ball_of, def.entry_value = H[0];
    def.body_count = BALLS, def.body_dof = dof, def.body_inv_mass = inv_mass[0], def.v_free = v[0];

    scree_error error;
    scree_problem *problem;
    scree_solver *solver;
    if (scree_problem_create(&def, NULL, &problem, &error) != SCREE_OK) return fail(&error);
    scree_solver_options options = scree_solver_options_default(); /* auto, 1e-8 */
    options.tolerance = 1e-12;
    if (scree_solver_create(problem, &options, NULL, &solver, &error) != SCREE_OK) {
        scree_problem_destroy(problem);
        return fail(&error);
    }

    double p[CONTACTS * ROWS] = {0}, y[CONTACTS * ROWS]; /* p: where to start, then the answer */
    scree_solve_info info;
    scree_certificate certificate;
    scree_status status = scree_solver_solve(solver, problem, p, &info);
    scree_problem_certify(problem, p, y, &certificate);
    scree_solver_destroy(solver);
    scree_problem_destroy(problem);
    if (status != SCREE_OK || info.outcome != SCREE_CONVERGED) return 1;

    printf("%s: %s, sticking contacts: %d\n", info.solver, scree_outcome_name(info.outcome),
           certificate.mode_count[SCREE_MODE_STICK]);
    for (int c = 0; c < CONTACTS; ++c)
        printf("contact %d  r_N %8.5f  r_T %8.5f %8.5f  %s\n", c, p[6 * c] + 0.0, p[6 * c + 1] + 0.0,
               p[6 * c + 2] + 0.0, scree_mode_name(scree_mode_classify(&cone[c], mass, p + 6 * c, y + 6 * c)));

    /* the velocities after: v += M^-1 H p */
    for (int e = 0; e < ENTRIES; ++e)
        for (int i = 0; i < DOFS; ++i)
            for (int j = 0; j < ROWS; ++j)
                v[ball_of[e]][i] += inv_mass[ball_of[e]][7 * i] * H[e][6 * j + i] * p[6 * contact_of[e] + j];
    for (int b = 0; b < BALLS; ++b) printf("ball %d  v_x %8.5f  w_y %8.5f\n", b, v[b][0], v[b][4]);
    return 0;
}
