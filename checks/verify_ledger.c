/* verify_ledger.c: rows of `scree verify` about the energy ledger of soft contacts: what each friction and each impact takes, beside closed forms,
 * and what all lines leave over, which must vanish with the step (docs/math/dem.md, Ledger).
 *
 * Nothing in the ledger is what the others leave over, so a line that is wrong by 1 % is seen twice: beside its closed form, and in what is
 * left of the closing error when its first order in h is taken out, 2 error(h/2) - error(h). Both engines: argument 1 is that for spheres. */
#include "checks/trial.h"

enum { STAGES, SPHERES };

/// Balls of soft material: Hooke, with little damping of friction; of sds with more, so that its springs are set against it.
static trial soft_begin(int engine, double h, double gravity, double e, double rho, double sigma, int model)
{
    trial t = {0};
    scree_world_options options = scree_world_options_default();
    scree_stepper_options stepper = scree_stepper_options_default();
    scree_material m = {.soft = scree_dem_default(), .name = "rubber", .density = 1000.0};
    m.friction = (scree_friction){.mu = 0.5, .rolling = {rho, 0}, .spinning = {sigma, 0}, .restitution = e};
    m.soft.stiffness = 1e5, m.soft.slide_stiffness = 1e5, m.soft.damping_share = model == SCREE_DEM_SDS ? 0.3 : 0.01;
    m.soft.sds_stiffness = 1e5, m.soft.spin_stiffness = 1e3, m.soft.model = model;
    m.soft.pulls = SCREE_DEM_PULLS_YES;
    options.gravity[2] = -gravity, options.soft = 1;
    stepper.scheme = SCREE_SCHEME_DEM, stepper.step = h;
    stepper.engine = engine == SPHERES ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    t.world = scree_world_create(&options, &t.error);
    t.stepper = scree_stepper_create(&stepper, &t.error);
    t.material = scree_world_add_material(t.world, &m, &t.error);
    t.failed = t.error.status != SCREE_OK;
    return t;
}

/// The ledger after so many seconds; the trial is over.
static scree_ledger ledger_after(trial *t, double seconds, double h, int *failed)
{
    scree_ledger sum = {0};
    if (!t->failed &&
        scree_advance(t->stepper, t->world, (int64_t)(seconds / h + 0.5), &t->report, &t->error) != SCREE_OK)
        t->failed = 1;
    if (!t->failed) sum = scree_stepper_totals(t->stepper)->energy;
    *failed = t->failed;
    trial_end(t);
    return sum;
}

static finding judge(int failed, double source, double scree, double bound, const char *why)
{
    return finding_of(source, failed ? (double)NAN : scree, bound, why);
}

/// A ball of 1 kg meets the floor at 1 m/s, e = 0.7.
static scree_ledger bounce(int engine, double h, int *failed)
{
    trial t = soft_begin(engine, h, 0.0, 0.7, 0.0, 0.0, SCREE_DEM_TRACKING);
    trial_floor(&t);
    trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, t.material), 1.0, (const double[3]){0.0, 0.0, 0.1},
              (const double[3]){0.0, 0.0, -1.0}, NULL);
    return ledger_after(&t, 0.015, h, failed);
}

static finding impact(int engine)
{
    int failed;
    const scree_ledger e = bounce(engine, 1e-6, &failed);
    return judge(failed, 0.5 * (1.0 - 0.49), e.impact, 1.5e-4,
                 "damping ratio x frequency x h = 3.6e-5, and a third order");
}

/// (h/4) g (v^2 - e^2 v^2), g = 2 zeta sqrt(k m).
static finding impact_error(int engine)
{
    int failed;
    const double h = 1e-6, loss = -log(0.7), zeta = loss / sqrt(9.869604401089358 + loss * loss);
    const scree_ledger e = bounce(engine, h, &failed);
    return judge(failed, 0.25 * h * 2.0 * zeta * sqrt(1e5) * (1.0 - 0.49), e.balance, 0.01, "second order in h: 0.3 %");
}

/// A ball of 1 kg, 0.1 m, on the floor under its weight.
static scree_ledger on_the_floor(int engine, double rho, double sigma, const double v[3], const double w[3],
                                 double until, int *failed)
{
    trial t = soft_begin(engine, 2e-5, 9.8, 0.5, rho, sigma, SCREE_DEM_TRACKING);
    trial_floor(&t);
    trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, t.material), 1.0,
              (const double[3]){0.0, 0.0, 0.1 - 9.8e-5}, v, w);
    return ledger_after(&t, until, 2e-5, failed);
}

static finding slide(int engine)
{
    int failed;
    const scree_ledger e = on_the_floor(engine, 0.0, 0.0, (const double[3]){2.0, 0.0, 0.0}, NULL, 0.3, &failed);
    return judge(failed, 2.0 / 7.0 * 2.0, e.slide, 1e-3, "overlap/radius: 9.8e-4");
}

static finding roll(int engine)
{
    int failed;
    const scree_ledger e = on_the_floor(engine, 0.01, 0.0, (const double[3]){0.5, 0.0, 0.0},
                                        (const double[3]){0.0, 5.0, 0.0}, 1.0, &failed);
    return judge(failed, 0.5 * 1.4 * 0.25, e.roll, 5e-3, "its dashpot's part of the first stretch");
}

static finding spin(int engine)
{
    int failed;
    const scree_ledger e = on_the_floor(engine, 0.0, 0.01, NULL, (const double[3]){0.0, 0.0, 20.0}, 2.0, &failed);
    return judge(failed, 0.5 * 0.004 * 400.0, e.spin, 5e-3, "its dashpot's part of the first stretch");
}

/// The same ball, pulled ever harder, and kept from rolling: its overlap holds N^2/2k, its spring of sliding F^2/2K.
static finding held(int engine)
{
    static const double time[2] = {0.0, 1.0}, force[6] = {0, 0, 0, 4.0, 0, 0}, moment[6] = {0, 0, 0, 0, -0.4, 0};
    int failed;
    trial t = soft_begin(engine, 2e-5, 9.8, 0.5, 0.0, 0.0, SCREE_DEM_TRACKING);
    scree_body_def def = scree_body_def_of(scree_shape_sphere(0.1, t.material));
    trial_floor(&t);
    def.mass = 1.0, def.position[2] = 0.1 - 9.8e-5;
    def.force = (scree_table){2, time, force}, def.moment = (scree_table){2, time, moment};
    trial_body(&t, &def);
    const scree_ledger e = ledger_after(&t, 1.0, 2e-5, &failed);
    return judge(failed, 0.5 * 9.8 * 9.8e-5 + 0.5 * 16.0 / 1e5, e.elastic, 5e-4,
                 "overlap/radius, in the lever arm of the pull");
}

/// 27 balls with spins in a closed box, 0.1 s.
static scree_ledger box_of_balls(int engine, int model, double h, int *failed)
{
    trial t = soft_begin(engine, h, 9.8, 0.6, 0.002, 0.002, model);
    for (int k = 0; k < 6; ++k) {
        scree_body_def def = scree_body_def_of(scree_shape_plane(t.material));
        const double s = sqrt(0.5), turn[6][4] = {{s, 0, s, 0}, {s, 0, -s, 0}, {s, -s, 0, 0},
                                                  {s, s, 0, 0}, {1, 0, 0, 0},  {0, 1, 0, 0}};
        def.kind = SCREE_BODY_FIXED, def.position[k / 2] = k % 2 ? 0.72 : 0.0;
        memcpy(def.rotation, turn[k], sizeof def.rotation);
        trial_body(&t, &def);
    }
    for (int k = 0; k < 27; ++k) {
        const double a = sin(1.0 + 7.0 * k), b = sin(2.0 + 11.0 * k), c = sin(3.0 + 13.0 * k);
        const int line = k / 3 % 3, layer = k / 9;
        const double x[3] = {0.24 * (k % 3 + 0.5), 0.24 * (line + 0.5), 0.24 * (layer + 0.5)};
        trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, t.material), 1.0, x,
                  (const double[3]){3.0 * a, 3.0 * b, 3.0 * c}, (const double[3]){60.0 * b, 60.0 * c, 60.0 * a});
    }
    return ledger_after(&t, 0.1, h, failed);
}

/// What is left of the closing error beside its first order, as a share of what was lost.
static finding order(int model, int engine)
{
    int bad[2];
    const scree_ledger coarse = box_of_balls(engine, model, 2e-5, &bad[0]),
                       fine = box_of_balls(engine, model, 1e-5, &bad[1]);
    return judge(bad[0] || bad[1], 0.0, (2.0 * fine.balance - coarse.balance) / scree_ledger_lost(&fine), 2e-4,
                 "second order in the step");
}

static finding order_tracking(int engine)
{
    return order(SCREE_DEM_TRACKING, engine);
}

static finding order_sds(int engine)
{
    return order(SCREE_DEM_SDS, engine);
}

const check verify_ledger_checks[] = {
    {"soft-ledger/impact", "J", "a soft ball bounces, e = 0.7: what its dashpot took is (1 - e^2) of its energy",
     impact, STAGES},
    {"soft-ledger/impact-spheres", "J", "the same in the engine for spheres", impact, SPHERES},
    {"soft-ledger/impact-error", "J", "the closing error of that bounce: (h/4) g (v^2 - e^2 v^2)", impact_error,
     STAGES},
    {"soft-ledger/impact-error-spheres", "J", "the same in the engine for spheres", impact_error, SPHERES},
    {"soft-ledger/slide", "J", "a sliding ball ends rolling: 2/7 of its energy went to sliding", slide, STAGES},
    {"soft-ledger/slide-spheres", "J", "the same in the engine for spheres", slide, SPHERES},
    {"soft-ledger/roll", "J", "a ball rolls to rest: all of its energy went to rolling", roll, STAGES},
    {"soft-ledger/roll-spheres", "J", "the same in the engine for spheres", roll, SPHERES},
    {"soft-ledger/spin", "J", "a ball spins to rest: all of its energy went to spinning", spin, STAGES},
    {"soft-ledger/spin-spheres", "J", "the same in the engine for spheres", spin, SPHERES},
    {"soft-ledger/held", "J", "a ball pulled along the floor and at rest: what its springs hold", held, STAGES},
    {"soft-ledger/held-spheres", "J", "the same in the engine for spheres", held, SPHERES},
    {"soft-ledger/order", "", "balls in a box: closing error beside its first order in h, over what was lost",
     order_tracking, STAGES},
    {"soft-ledger/order-spheres", "", "the same in the engine for spheres", order_tracking, SPHERES},
    {"soft-ledger/order-sds", "", "the same, model sds", order_sds, STAGES},
    {"soft-ledger/order-sds-spheres", "", "the same in the engine for spheres", order_sds, SPHERES},
    {NULL, NULL, NULL, NULL, 0}};
