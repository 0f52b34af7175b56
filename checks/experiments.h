/* experiments.h: small scenes that are run with several settings: by rows of `scree verify` (verify_motion.c) and by the table of
 * engines (engines.c). What could not be made or stepped gives NaN. */
#ifndef SCREE_CHECKS_EXPERIMENTS_H
#define SCREE_CHECKS_EXPERIMENTS_H

#include "checks/trial.h"

typedef struct setting {
    scree_scheme scheme;
    double tolerance, h;
} setting;

/// R 1, v 1, rho 0.02, mu 0.9, g 9.8 and J = 0.4 M R^2 (the disk of [TA] 6.1): how far a ball rolls, in the direction of `angle` [m].
double experiment_rolling(const setting *s, double angle, double mass);
double experiment_rolling_not_centred(
    const setting *s); /* straight on, 10 kg, without the stepper's option `centred` */

/// R 0.2, m 5, mu 0.2, rho/R 0.1 on a slope: rests while tan(a) <= rho/R, then rolls with 5/7 g (sin a - rho/R cos a), and slips where the
/// friction that rolling needs, m (g sin a - acceleration), exceeds mu m g cos a.
double experiment_slope_theory(double degrees);                  /* acceleration [m/s^2]              */
double experiment_slope_speed(const setting *s, double degrees); /* after 1 s [m/s]                   */
double experiment_slope_creep(const setting *s, double degrees); /* change of position in 5 s [m]     */

/// omega 20, sigma 0.02, R 0.2, g 9.8 (as other engines were measured): omega' = -sigma m g/(2/5 m R^2). When the spin ends, seen at the end of a step [s].
double experiment_spin_theory(void);
double experiment_spin_end(const setting *s, int rolling);

/// Two balls on the floor, gap 0.2 R, one on top (body 3) at `height`; mu 0.25, rho/R given.
trial experiment_stack(const setting *s, double rho, double *height);
/// 1 if it stands after 5 s, 0 if not.
double experiment_stack_stands(const setting *s, double rho);

/// 1,000 spheres (R 0.1, mu 0.5, rho = sigma = 0.1 R) fall into a box 2 m wide and settle until nothing moves, 10 s at most. In the 5 s
/// after that: mean drift, and deepest penetration, both over R.
void experiment_pile(const setting *s, double *drift, double *deepest);

#endif
