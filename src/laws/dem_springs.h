/* dem_springs.h: one step of a spring with its dashpot and slider, over lanes (math/lanes.h): one contact in the general stages and in a
 * CUDA thread, four or eight at once in the engine for spheres. The one source of both laws of friction.
 *
 * [FN] 3 (spring_step): x has grown by dx. B_s is the static bound, B the one that holds now; y = K x + (D/h) dx.
 *
 *     |K x| > B      the spring slides: x is cut back to B/K, load K x                      (kinetic)
 *     else           load y, cut to B_s unless the law is the published one                 (static)
 *
 * why that makes no energy: dem_friction.h. A spring beyond its bound and a load beyond it are cut by the same factor, bound over size, and
 * root and division, size^2 being there, are taken at the same time: |y|/|y|^2.
 *
 * Spring, dashpot, slider on velocities (sds_*): dem_legacy.h. Beyond its limit the spring gives what the load loses,
 * xi += (F - F_cut)/k, which is the same as setting it so that spring and dashpot make up the cut load.
 *
 * What is lost, where `wanted` (a constant at the call), each from its own force and way (docs/math/dem.md, Ledger). Slider: the mean load of
 * the spring over the step times what slipped, s = dx - (x - x0): (K/2) (x0 + x).s. Dashpot: its load times dx. The spring itself stores
 * (K/2) (x0 + x).(x - x0), so together they are the work over dx, whatever the slip. Where a load is cut or a spring slides, both are the
 * slider's, since it slides at its bound. Of sds beyond its limit the slider takes the cut load over all of the way, h v: the spring is not
 * stretched by motion there but set by the law, which puts into it (`made`) what it then holds more or less: more, where it makes up
 * for a strong dashpot. */
#ifndef SCREE_LAWS_DEM_SPRINGS_H
#define SCREE_LAWS_DEM_SPRINGS_H

#ifndef LANES_WIDTH
#define LANES_WIDTH 1
#endif
#include "math/lanes.h"

/* ---- [FN] ------------------------------------------------------------------------------------------------------------------------ */

/// `x`, of `size` components (1 or 2), grows by `dx`. K [N/m] or [N m], D/h in the same units; `still`: the static bound, `bound`: the one
/// that holds [N] or [N m]. Adds to `dashpot` and `slider`. Returns who slides.
SCREE_HD_INLINE mask spring_step(lanes K, lanes D_h, lanes still, lanes bound, int size, const lanes *dx, int published,
                                 int wanted, lanes *x, lanes *load, lanes *dashpot, lanes *slider)
{
    lanes one = all(1.0), zero = all(0.0), pull[2], pull2 = zero, load2 = zero, xx = zero, along = zero, scale;
    for (int k = 0; k < size; ++k) {
        x[k] = x[k] + dx[k], pull[k] = K * x[k], load[k] = mad(D_h, dx[k], pull[k]);
        if (k == 0) pull2 = pull[0] * pull[0], load2 = load[0] * load[0];
        else pull2 = mad(pull[k], pull[k], pull2), load2 = mad(load[k], load[k], load2);
        if (wanted) xx = mad(x[k], x[k], xx), along = mad(x[k], dx[k], along);
    }
    const mask beyond = greater(pull2, bound * bound);
    lanes limit = choose(beyond, bound, published ? all(SCREE_INFINITY) : still), size2 = choose(beyond, pull2, load2);
    for (int k = 0; k < size; ++k) load[k] = choose(beyond, pull[k], load[k]);
    if (size == 1) scale = smaller(limit / size_of(load[0]), one);
    else scale = smaller(root(size2) * (limit / size2), one); /* 1 where it is 0 */
    lanes back = choose(beyond, scale, one);
    for (int k = 0; k < size; ++k) x[k] = x[k] * back, load[k] = load[k] * scale;
    if (!wanted) return beyond;
    const mask cut = but_not(greater(one, scale), beyond);
    lanes slid = all(0.5) * K * (one - scale) * ((one + scale) * xx - along), work = zero;
    for (int k = 0; k < size; ++k) work = mad(nmad(K, x[k], load[k]), dx[k], work);
    *dashpot = *dashpot + without(beyond, without(cut, work));
    *slider = *slider + choose(beyond, slid, only(cut, work));
    return beyond;
}

/* ---- spring, dashpot, slider on velocities ---------------------------------------------------------------------------------------- */

/// k [N/m], damping g [N s/m], limit [N]; of twisting [N m], [N m s], [N m]. `per_k`: 1/k, 0 where k is.
typedef struct sds_lanes {
    lanes k, g, limit, per_k;
} sds_lanes;

/* Sliding, or rolling with its pseudo-force, in three parts, so that several springs need not wait for each other. */

/// How much longer xi gets when it is turned into the plane across d, |xi|/|xi - (xi.n) n| with n = d/|d|, 0 where nothing is left; and xi.d.
/// From d and d.d: it need not wait for n, which comes after a root and a division.
SCREE_HD_INLINE lanes sds_stretch(const lanes xi[3], const lanes d[3], lanes d2, lanes *along)
{
    lanes out = dot3(xi, d), old2 = dot3(xi, xi) * d2, flat2 = nmad(out, out, old2);
    *along = out;
    return only(greater(flat2, all(0.0)), root(old2 / flat2));
}

/// xi turned, and grown by h v; F before it is cut. `out` = xi.n, `longer`: sds_stretch; `v` is tangential. Returns who is beyond the limit.
SCREE_HD_INLINE mask sds_pull(const sds_lanes *s, const lanes n[3], lanes out, lanes longer, const lanes v[3], lanes h,
                              lanes xi[3], lanes F[3])
{
    const mask turn = greater(size_of(out) * s->k, all(1e-10) * s->limit);
    lanes stretch = choose(turn, longer, all(1.0)), off = only(turn, out);
    for (int k = 0; k < 3; ++k) {
        xi[k] = mad(h, v[k], nmad(off, n[k], xi[k]) * stretch);
        F[k] = nmsub(s->k, xi[k], s->g * v[k]);
    }
    return greater(dot3(F, F), s->limit * s->limit);
}

/// Back to the limit, by a factor that is 1 where F is not beyond. `empty`: springs may hold nothing while their dashpots are beyond the
/// limit, which gives no load then.
SCREE_HD_INLINE void sds_cut(const sds_lanes *s, int empty, lanes xi[3], lanes F[3])
{
    lanes size2 = dot3(F, F), back = s->per_k, cut = smaller(root(size2) * (s->limit / size2), all(1.0));
    if (empty) {
        const mask none = but_not(greater(size2, s->limit * s->limit), greater(dot3(xi, xi), all(0.0)));
        cut = without(none, cut), back = without(none, back);
    }
    for (int k = 0; k < 3; ++k) {
        lanes less = F[k] * cut;
        xi[k] = mad(F[k] - less, back, xi[k]), F[k] = less;
    }
}

/// What is lost in a step [J], and what the law has put into a spring.
typedef struct sds_losses {
    lanes dashpot, slider, made;
} sds_losses;

/// What dashpot and slider took. `was2`: squared length of xi before the step, which turning leaves; F: after it has been cut.
SCREE_HD_INLINE sds_losses sds_lost(const sds_lanes *s, const lanes v[3], lanes h, mask beyond, lanes was2,
                                    const lanes xi[3], const lanes F[3])
{
    const sds_losses lost = {without(beyond, s->g * dot3(v, v) * h), only(beyond, all(0.0) - h * dot3(F, v)),
                             only(beyond, all(0.5) * s->k * (dot3(xi, xi) - was2))};
    return lost;
}

/// Twisting: the torque along n on i. `rate` = w.n. Beyond the limit the torque opposes the rate.
SCREE_HD_INLINE lanes sds_twist(const sds_lanes *s, lanes rate, lanes h, int wanted, lanes *phi, mask *beyond,
                                sds_losses *lost)
{
    lanes zero = all(0.0), full = mad(h, rate, *phi), M = nmsub(s->k, full, s->g * rate);
    const mask over = greater(size_of(M), s->limit);
    lanes limit = only(greater(rate, zero), s->limit) - only(greater(zero, rate), s->limit);
    *beyond = over;
    const lanes was2 = *phi * *phi;
    *phi = choose(over, nmad(s->g, rate, limit) * s->per_k, full);
    if (wanted) {
        lost->dashpot = without(over, s->g * rate * rate * h), lost->slider = only(over, h * limit * rate);
        lost->made = only(over, all(0.5) * s->k * (*phi * *phi - was2));
    }
    return choose(over, zero - limit, M);
}

#endif
