/* peers_statics.c: what stands and what does not: a ladder, an arch (papers.h, docs/peers.md).
 *
 * Ladder: a rod with round ends (radius r, length L between their middles) leans on a wall, at the angle a from the floor. At the limit both ends
 * slip, floor friction mu_f and wall friction mu_w; moments about the middle of the lower end, divided by the load N of the floor:
 *     L cos(a) (1 - mu_f mu_w)/2 - L mu_f sin(a) = r mu_f (1 + mu_w);    for r = 0 the textbook's tan(a) = (1 - mu_f mu_w)/(2 mu_f).
 * It stands above that angle and slides below it.
 *
 * Arch: a semicircular arch of thickness t and mean radius R under its own weight, with joints that do not slide, stands from t/R = 0.1075 on
 * (Milankovitch 1907; Heyman's 0.106 takes the weight along the mean line; Ochsendorf 2002). With N voussoirs the hinges can form at joints
 * only, so that a little less will do. */
#include "checks/peers.h"
#include "checks/trial.h"

static const double pi = 3.14159265358979324;

/* ---- ladder ------------------------------------------------------------------------------------------------------------------- */

static double ladder_residual(double a, double L, double r, double mu_f, double mu_w)
{
    return L * cos(a) * (1.0 - mu_f * mu_w) / 2.0 - L * mu_f * sin(a) - r * mu_f * (1.0 + mu_w);
}

/// How far it moves in 2 s [m], set down at the angle, after `settle` seconds: as computed, its ends are 1e-16 m off floor and wall.
static double ladder_moves(double a, double L, double r, double mu_f, double mu_w, double settle)
{
    set_up s = {{0.0, 0.0, -9.81}, mu_f, 0.0, 0.0, 0.0, 5e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-10);
    scree_material wall = scree_material_default("wall");
    wall.friction.mu = mu_w;
    if (!t.failed) t.failed = scree_material_index(scree_world_add_material(t.world, &wall, &t.error)) < 0;
    trial_floor(&t);
    scree_body_def def = scree_body_def_of(scree_shape_plane(scree_material_at(1)));
    def.kind = SCREE_BODY_FIXED;
    def.rotation[0] = def.rotation[2] = sqrt(0.5); /* the wall x = 0 faces +x */
    trial_body(&t, &def);
    def = scree_body_def_of(scree_shape_capsule(r, 0.5 * L, t.material));
    def.mass = 10.0;
    def.position[0] = r + 0.5 * L * cos(a), def.position[2] = r + 0.5 * L * sin(a);
    def.rotation[0] = cos(0.5 * (a - 0.5 * pi)),
    def.rotation[2] = sin(0.5 * (a - 0.5 * pi)); /* z to (-cos a, 0, sin a) */
    trial_body(&t, &def);
    if (!t.failed) trial_until(&t, settle);
    double moved = t.failed ? (double)NAN : trial_creep(&t, 2.0);
    trial_end(&t);
    return moved;
}

void peer_ladder(paper_run *run)
{
    const double L = 3.0, r = 0.03, mu_f = 0.4, mu_w = 0.2, off = 0.1 * pi / 180.0;
    double low = 0.1, high = 1.5;
    for (int k = 0; k < 60; ++k) {
        double mid = 0.5 * (low + high);
        if (ladder_residual(mid, L, r, mu_f, mu_w) > 0.0) low = mid;
        else high = mid;
    }
    paper_row(run, "above-moves", "m", printed(0.0, "statics: 0.1 degree above the limit it stands"),
              ladder_moves(high + off, L, r, mu_f, mu_w, 0.5), within(0.0, "what rests, rests: not one bit"));
    double moved = ladder_moves(low - off, L, r, mu_f, mu_w, 0.0);
    paper_claim(run, "below-stands", "statics: 0.1 degree below the limit it slides (by more than 10 mm in 2 s)",
                !(moved > 0.01));
    paper_note(run, "limit", "deg", low * 180.0 / pi,
               "the limit, from the floor: 3 m long, ends of 30 mm, friction 0.4 on the floor, 0.2 on the wall");
}

/* ---- arch ----------------------------------------------------------------------------------------------------------------------- */

/// Whether an arch of N voussoirs stands for 2 s: 1, 0; NaN: could not be made. Planar: in the plane xz.
static double arch_stands(int N, double thickness, double *dropped)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.8, 0.0, 0.0, 0.0, 5e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-8);
    const double inner = 1.0 - 0.5 * thickness, outer = 1.0 + 0.5 * thickness, depth = 0.1, step = pi / N;
    trial_floor(&t);
    for (int k = 0; k < N && !t.failed; ++k) {
        double p[24];
        for (int i = 0; i < 8; ++i) {
            double a = step * (k + (i & 1)), R = i & 2 ? outer : inner;
            p[3 * i] = R * cos(a), p[3 * i + 1] = i & 4 ? depth : -depth, p[3 * i + 2] = R * sin(a);
        }
        for (int i = 0; i < 8; ++i)
            if (fabs(p[3 * i + 2]) < 1e-12) p[3 * i + 2] = 0.0;
        scree_geometry *hull = scree_geometry_hull(p, 8, NULL, &t.error);
        t.failed = !hull;
        if (t.failed) break;
        scree_body_def def = scree_body_def_of(scree_shape_hull(hull, 1.0, t.material));
        trial_body(&t, &def);
        scree_geometry_release(hull); /* the world holds it */
    }
    const int crown = N / 2 + 1;
    if (t.failed) {
        trial_end(&t);
        return (double)NAN;
    }
    double before = trial_position(&t, crown)[2];
    trial_until(&t, 2.0);
    *dropped = t.failed ? (double)NAN : before - trial_position(&t, crown)[2];
    trial_end(&t);
    return *dropped < 1e-3;
}

void peer_arch(paper_run *run)
{
    enum { VOUSSOIRS = 45 };
    static const char where[] = "Milankovitch 1907: t/R = 0.1075";
    const double limit = 0.1075;
    double dropped, low = 0.85 * limit, high = 1.15 * limit;
    paper_row(run, "thicker-stands", "", printed(1.0, where), arch_stands(VOUSSOIRS, 1.05 * limit, &dropped),
              within(0.0, "5 % above the limit: stands"));
    paper_row(run, "thinner-stands", "", printed(0.0, where), arch_stands(VOUSSOIRS, 0.95 * limit, &dropped),
              within(0.0, "5 % below the limit: falls"));
    if (!run->is_long) return;
    for (int k = 0; k < 8; ++k) {
        double mid = 0.5 * (low + high);
        if (arch_stands(VOUSSOIRS, mid, &dropped) > 0.5) high = mid;
        else low = mid;
    }
    paper_row(run, "limit", "", printed(limit, where), 0.5 * (low + high),
              within(0.03, "45 voussoirs: hinges form at joints only, 4 degrees apart"));
}
