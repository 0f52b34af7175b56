/* dem_step.h: the laws of friction for one contact: dem_springs.h with one lane, in the types of dem_friction.h and dem_legacy.h. */
#ifndef SCREE_LAWS_DEM_STEP_H
#define SCREE_LAWS_DEM_STEP_H

#include "laws/dem_legacy.h"
#include "laws/dem_springs.h"

#if LANES_WIDTH != 1
#error "one contact is one lane"
#endif

/// What slider and dashpot of a spring take in a step [J], what the law has put into it, and whether it slides.
typedef struct dem_losses {
    double slider, dashpot, made;
    int slides;
} dem_losses;

/// x += dx, cut back, mode, load: one spring over one step of length h. Returns what is lost.
SCREE_HD dem_losses dem_spring_step(const dem_spring *s, int size, const double *dx, double h, double *x,
                                    unsigned char *kinetic, double *load)
{
    dem_losses lost = {0.0, 0.0, 0.0, 0};
    const double still = s->bound[0], bound = s->bound[*kinetic != 0];
    lost.slides = spring_step(s->stiffness, s->damping / h, still, bound, size, dx, s->published, 1, x, load,
                              &lost.dashpot, &lost.slider);
    *kinetic = (unsigned char)lost.slides;
    return lost;
}

/// One step of friction: memories, modes and loads; `lost`: of each spring.
SCREE_HD void dem_friction_step(const dem_spring s[DEM_SPRINGS], const dem_partners *at, const dem_track *track,
                                double h, dem_history *history, dem_loads *loads, dem_losses lost[DEM_SPRINGS])
{
    double dx[7];
    unsigned char *mode = history->kinetic;
    dem_friction_growth(at, track, dx);
    lost[DEM_SLIDE] = dem_spring_step(&s[DEM_SLIDE], 2, dx, h, history->slide, &mode[DEM_SLIDE], loads->slide);
    lost[DEM_ROLL_I] = dem_spring_step(&s[DEM_ROLL_I], 2, dx + 2, h, history->roll_i, &mode[DEM_ROLL_I], loads->roll_i);
    lost[DEM_ROLL_J] = dem_spring_step(&s[DEM_ROLL_J], 2, dx + 4, h, history->roll_j, &mode[DEM_ROLL_J], loads->roll_j);
    lost[DEM_SPIN] = dem_spring_step(&s[DEM_SPIN], 1, dx + 6, h, &history->spin, &mode[DEM_SPIN], &loads->spin);
}

SCREE_HD sds_lanes dem_sds_lanes(const dem_sds *s)
{
    const sds_lanes law = {s->stiffness, s->damping, s->limit, s->stiffness > 0.0 ? 1.0 / s->stiffness : 0.0};
    return law;
}

/// Sliding, or rolling with its pseudo-force. `v` is tangential. `memory` [m], a world vector, holds what the last step left.
SCREE_HD dem_losses dem_sds_vector(const dem_sds *s, const double *n, const double *v, double h, double *memory,
                                   double *force)
{
    const sds_lanes law = dem_sds_lanes(s);
    double out, longer = sds_stretch(memory, n, 1.0, &out);
    const double was2 = dot3(memory, memory);
    const int slides = sds_pull(&law, n, out, longer, v, h, memory, force);
    sds_cut(&law, 1, memory, force);
    const sds_losses of = sds_lost(&law, v, h, slides, was2, memory, force);
    const dem_losses lost = {of.slider, of.dashpot, of.made, slides};
    return lost;
}

/// Twisting: returns the torque along n on i. `rate` = w.n.
SCREE_HD double dem_sds_twist(const dem_sds *s, double rate, double h, double *memory, dem_losses *lost)
{
    const sds_lanes law = dem_sds_lanes(s);
    sds_losses of = {0.0, 0.0, 0.0};
    const double torque = sds_twist(&law, rate, h, 1, memory, &lost->slides, &of);
    lost->slider = of.slider, lost->dashpot = of.dashpot, lost->made = of.made;
    return torque;
}

#endif
