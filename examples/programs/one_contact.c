/* one_contact.c: a ball on a floor, with friction and rolling friction: one contact. Valid C and C++; docs/embedding.md explains it.
 *
 * Ball: 2 kg, radius 0.1 m, inertia 0.008 kg m^2; it slides with 1 m/s along x, and gravity has acted for 0.01 s. */
#include <scree/problem.h>

#include <stdio.h>

int main(void)
{
    scree_error e = {0};
    /* floor (-1: it does not move) and ball (mass 0): normal, tangent, arms from the centres of mass to the contact */
    const scree_rigid_contact pair = {-1, 0, {0, 0, 1}, {1, 0, 0}, {0, 0, 0}, {0, 0, -0.1}};
    const scree_rigid_mass ball = {{0.5, 0.5, 0.5}, {125, 0, 0, 0, 125, 0, 0, 0, 125}};
    const double q[5] = {-0.0981, 1, 0, 0, 0}; /* velocity without reaction: normal, sliding x and y, rolling x and y */

    scree_contact c = scree_contact_of(&pair, &ball, scree_cone_slide_roll(0.3, 2e-3), q);
    scree_contact_result r = scree_contact_solve(&c, NULL, &e);
    if (e.status) return fprintf(stderr, "%s\n", e.text), 1;

    printf("%s, residual below 1e-12: %s\n", scree_mode_name(r.mode), r.residual < 1e-12 ? "yes" : "no");
    printf("r_N %.4f  r_T %.4f  m_R %.6f\n", r.p[0], r.p[1], r.p[4]);
    return 0;
}
