/* hello_contact.c: a ball thrown along a floor: one contact, solved with libscree. Valid C and C++; docs/embedding.md builds it.
 *
 * Ball: 2 kg, radius a = 0.1 m, inertia I = 0.008 kg m^2; 1 m/s along t1, spin 5 rad/s; gravity has acted for 0.01 s.
 * The floor is A, the ball is B. Components: normal, two tangents, two of rolling, spinning.            docs/notation.md */
#include <scree/laws.h>

#include <stdio.h>

int main(void)
{
    scree_contact contact = {
        scree_cone_slide_roll_spin(0.3, 0.002, 0.003), SCREE_LAW_COULOMB, {0}, {-0.0981, 1, 0, 0, 0, 5}};
    const int row[10] = {0, 1, 2, 3, 4, 5, 1, 4, 2, 3}, column[10] = {0, 1, 2, 3, 4, 5, 4, 1, 3, 2};
    const double entry[10] = {0.5, 1.75,  1.75,  125,  125,
                              125, -12.5, -12.5, 12.5, 12.5}; /* 1/m, 1/m + a^2/I, 1/I, a/I */
    for (int i = 0; i < 10; ++i) contact.W[6 * row[i] + column[i]] = entry[i];

    scree_error error = {0};
    char text[600];
    scree_contact_check(&contact, NULL, NULL, &error);
    scree_contact_result result = scree_contact_solve(&contact, NULL, &error); /* NULL: the exact method */
    if (error.status != SCREE_OK) {
        fprintf(stderr, "%s\n", scree_error_format(&error, text, sizeof text));
        return 1;
    }
    if (result.outcome != SCREE_OUTCOME_CONVERGED) return 1;

    printf("%s, residual %.1e\n", scree_mode_name(result.mode), result.residual);
    for (int i = 0; i < 6; ++i) printf("%12.7f %12.7f\n", result.p[i] + 0.0, result.y[i] + 0.0); /* + 0.0: no "-0" */
    return 0;
}
