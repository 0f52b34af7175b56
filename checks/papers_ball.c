/* papers_ball.c: examples of the papers with one body: [AB] 6.1 and figure 2, [TA] 6.1 (papers.h).
 *
 * A sphere of radius R and inertia 2/5 m R^2 on a level plane, speed U, spin Omega about the level axis across it. With the contact's
 * loads divided by its normal load (f the tangential force, -mu <= f <= mu; m the rolling moment, -rho <= m <= rho):
 *     U' = g f,      R Omega' = 5/2 g (m/R - f).
 * It slides while U differs from R Omega (f = -mu there) and rolls while Omega differs from 0 (m = -rho), so its life is a few phases
 * of constant acceleration. Rolling without slip needs f = (5/7) m/R, which is possible while (5/7) rho/R <= mu. */
#include "checks/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double gravity = 9.81;

/* ---- the body, and the load on it --------------------------------------------------------------------------------------- */

typedef struct ball_state {
    double time;
    double x, speed, spin; /* spin about `axis` of the scene [rad/s]          */
    double force, moment;  /* of the contact, divided by its normal load      */
    double gap;            /* of the contact at the start of the step [m]     */
} ball_state;

/// `axis` is that of the spin: 1 (y) where z is up, 2 (z) where y is up. The body only turns about it, so that its own frame has it too.
static ball_state observe(scree_simulation *simulation, int axis)
{
    const scree_world *world = scree_simulation_world(simulation);
    size_t body = 3 * (size_t)(scree_world_body_count(world) - 1);
    ball_state s = {.time = scree_world_time(world),
                    .x = scree_world_positions(world)[body],
                    .speed = scree_world_velocities(world)[body],
                    .spin = scree_world_angular_velocities(world)[body + (size_t)axis]};
    if (scree_world_contact_count(world) == 0) return s;
    const scree_contact_point *c = scree_world_contacts(world);
    const double *n = c->normal, *t = c->tangent, *load = c->impulse;
    double across[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
    s.gap = c->gap;
    if (load[0] <= 0.0) return s;
    s.force = (load[1] * t[0] + load[2] * across[0]) / load[0]; /* the floor is body A, loads act on B */
    s.moment = (load[3] * t[axis] + load[4] * across[axis]) / load[0];
    return s;
}

/* ---- [AB] 6.1: three cases ------------------------------------------------------------------------------------------------- */

enum { PHASES = 2 };

typedef struct phase {
    double length; /* [s]                                        */
    double speed_rate, spin_rate, force, moment;
} phase;

typedef struct ball_case {
    char name;
    double mu, rho, radius, speed, spin;
    phase phase[PHASES];
    double jump; /* when a load changes at once; 0: never      */
} ball_case;

/// Theory: the phases of case a, b or c.
static ball_case make_case(char name)
{
    ball_case c = {.name = name,
                   .mu = name == 'c' ? 0.05 : 0.2,
                   .rho = 0.04,
                   .radius = 0.5,
                   .speed = 2.5,
                   .spin = name == 'b' ? 2.5 : 5.0};
    double g = gravity, mu = c.mu, R = c.radius, k = c.rho / R, roll = -5.0 / 7.0 * k;
    if (name == 'c') { /* spin ends first */
        double spin_rate = 2.5 * g * (mu - k) / R;
        c.jump = -c.spin / spin_rate;
        c.phase[0] = (phase){c.jump, -mu * g, spin_rate, -mu, -c.rho};
        c.phase[1] = (phase){c.speed / (mu * g) - c.jump, -mu * g, 0.0, -mu, -mu * R};
        return c;
    }
    c.jump = (c.speed - R * c.spin) / (mu * g + 2.5 * g * (mu - k)); /* slip ends; 0 where there is none */
    c.phase[0] = (phase){c.jump, -mu * g, 2.5 * g * (mu - k) / R, -mu, -c.rho};
    c.phase[1] = (phase){(c.speed - mu * g * c.jump) / (-roll * g), roll * g, roll * g / R, roll, -c.rho};
    return c;
}

/// What theory says of the time; after the last phase everything is at rest.
static ball_state theory(const ball_case *c, double time)
{
    ball_state s = {.time = time, .speed = c->speed, .spin = c->spin};
    double left = time;
    for (int k = 0; k < PHASES; ++k) {
        const phase *p = &c->phase[k];
        double t = fmin(left, p->length);
        s.x += t * (s.speed + 0.5 * t * p->speed_rate);
        s.speed += t * p->speed_rate, s.spin += t * p->spin_rate;
        s.force = p->force, s.moment = p->moment;
        left -= t;
        if (left <= 0.0) return s;
    }
    s.speed = s.spin = s.force = s.moment = 0.0;
    return s;
}

static void put_ball(FILE *csv, const ball_case *c, const ball_state *s)
{
    ball_state t = theory(c, s->time);
    if (csv)
        fprintf(csv, "%c,%.6g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", c->name, s->time, s->x, s->speed,
                s->spin, s->force, s->moment, t.x, t.speed, t.spin, t.force, t.moment);
}

static void ball_row(paper_run *run, const ball_case *c, const char *what, const char *unit, double expected,
                     double found, paper_bound bound)
{
    char name[48];
    snprintf(name, sizeof name, "%c-%s", c->name, what);
    paper_row(run, name, unit, closed_form(expected), found, bound);
}

/// Worst differences from theory on the way, and the events.
typedef struct ball_record {
    double path, speed, spin;   /* worst differences                                   */
    double slip;                /* worst |U - R Omega|                                 */
    double stop, stopped_at;    /* time and place of rest; 0: not yet                  */
    double jump, jump_size;     /* time of the largest change of a load in one step    */
    double before[2], after[2]; /* force and moment a little before and after the jump */
    double creep;               /* movement after rest                                 */
} ball_record;

static void watch(const ball_case *c, const ball_state *old, const ball_state *s, double h, ball_record *r)
{
    ball_state t = theory(c, s->time);
    r->path = fmax(r->path, fabs(s->x - t.x));
    r->speed = fmax(r->speed, fabs(s->speed - t.speed));
    r->spin = fmax(r->spin, fabs(s->spin - t.spin));
    r->slip = fmax(r->slip, fabs(s->speed - c->radius * s->spin));
    if (fabs(s->time - c->jump + 5.0 * h) < 0.6 * h) r->before[0] = s->force, r->before[1] = s->moment;
    if (fabs(s->time - c->jump - 5.0 * h) < 0.6 * h) r->after[0] = s->force, r->after[1] = s->moment;
    double change = fabs(s->force - old->force) / c->mu + fabs(s->moment - old->moment) / c->rho;
    int moves = fabs(s->speed) > 1e-9 * c->speed;
    if (moves && old->time > 0.0 && change > r->jump_size) /* in the step of rest the loads fall, too: not that one */
        r->jump_size = change, r->jump = s->time;
    if (r->stop != 0.0) r->creep = fmax(r->creep, fabs(s->x - r->stopped_at));
    else if (!moves) r->stop = s->time, r->stopped_at = s->x;
}

static void judge_ball(paper_run *run, const ball_case *c, const ball_record *r)
{
    double total = c->phase[0].length + c->phase[1].length, distance = theory(c, total).x;
    const double h = 1e-4, events = c->mu * gravity * h * h / 4.0; /* of way: two events, each rounded to its step */
    const paper_bound way = within(events / distance,
                                   "two events, each seen at the end of its step: |a| h^2/8 of way each"),
                      velocity =
                          within(total / h * 1e-12, "constant forces are exact: the tolerance 1e-12 in each step"),
                      load = within(1e-9, "constant forces: the solver's tolerance"),
                      seen =
                          within(2.0 * h / fmax(c->jump, h), "the step of the event has something of both: two steps");
    ball_row(run, c, "stop-distance", "m", distance, r->stopped_at, way);
    ball_row(run, c, "stop-time", "s", total, r->stop, within(h / total, "an event is seen at the end of its step"));
    ball_row(run, c, "path-worst/distance", "", 0.0, r->path / distance, way);
    ball_row(run, c, "speed-worst/start", "", 0.0, r->speed / c->speed, velocity);
    ball_row(run, c, "spin-worst/start", "", 0.0, r->spin / c->spin, velocity);
    ball_row(run, c, "creep-at-rest", "m", 0.0, r->creep, within(0.0, "what rests, rests: not one bit"));
    if (c->jump == 0.0)
        ball_row(run, c, "slip-worst", "m/s", 0.0, r->slip,
                 within(1e-11, "the tolerance 1e-12 of 2.5 m/s, and rounding"));
    else {
        int i = c->name == 'c'; /* the moment jumps there, the force in b */
        const phase *p = c->phase;
        ball_row(run, c, "jump-time", "s", c->jump, r->jump, seen);
        ball_row(run, c, i ? "mR/rN-before" : "rT/rN-before", i ? "m" : "", i ? p[0].moment : p[0].force, r->before[i],
                 load);
        ball_row(run, c, i ? "mR/rN-after" : "rT/rN-after", i ? "m" : "", i ? p[1].moment : p[1].force, r->after[i],
                 load);
    }
}

void paper_ab61(paper_run *run)
{
    static const char head[] = "case,t,x,speed,spin,force,moment,x_theory,speed_theory,spin_theory,force_theory,"
                               "moment_theory\n";
    enum { EVERY = 100 }; /* steps between rows of the file */
    FILE *csv = paper_open(run, "ab61.csv", head);
    for (int k = 0; k < 3; ++k) {
        ball_case c = make_case("abc"[k]);
        ball_record r = {0};
        paper_sets sets = {0};
        scree_step_report report;
        paper_set(&sets, "materials.stone.friction=%.17g", c.mu);
        paper_set(&sets, "bodies[1].spin=[0, %.17g, 0]", c.spin);
        scree_simulation *simulation = paper_build(run, &sets, NULL);
        double end = c.phase[0].length + c.phase[1].length + 0.5;
        ball_state s = {.speed = c.speed, .spin = c.spin}, old = s;
        put_ball(csv, &c, &s);
        for (int step = 1; s.time < end && paper_step(run, simulation, &report); ++step, old = s) {
            s = observe(simulation, 1);
            watch(&c, &old, &s, report.h, &r);
            if (step % EVERY == 0 || fabs(s.time - c.jump) < 3.0 * report.h) put_ball(csv, &c, &s);
        }
        if (csv) fputs("\n\n", csv);
        judge_ball(run, &c, &r);
        paper_end(run, simulation);
    }
    paper_close(run, csv, "ab61.csv");
}

/* ---- [AB] figure 2: the surface of stopping distances --------------------------------------------------------------------- */

/// How far the sphere goes before it rests.
static double stopping_distance(paper_run *run, double mu, double rho, double h)
{
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "materials.stone.friction=%.17g", mu);
    paper_set(&sets, "materials.stone.rolling=%.17g m", rho);
    paper_set(&sets, "stepper.step=%.17g", h);
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    ball_state s = {.speed = 1.0};
    while (s.speed > 1e-9 && s.time < 1000.0 && paper_step(run, simulation, &report)) s = observe(simulation, 1);
    paper_end(run, simulation);
    return s.speed > 1e-9 ? (double)NAN : s.x;
}

void paper_ab_fig2(paper_run *run)
{
    int count = run->is_long ? 25 : 10;
    double h = run->is_long ? 5e-4 : 2e-3, worst = 0.0, worst_mu = 0.0, worst_rho = 0.0;
    FILE *csv = paper_open(run, "ab-fig2.csv", "mu,rho,x_max,x_max_theory\n");
    for (int i = 1; i <= count; ++i) {
        double mu = 0.5 * i / count;
        for (int j = 1; j <= count; ++j) {
            double rho = 0.1 * j / count, found = stopping_distance(run, mu, rho, h);
            double expected = 2.5 * 2.5 / (2.0 * gravity * fmin(mu, 5.0 / 7.0 * rho / 0.5));
            double off = fabs(found - expected) / expected;
            if (!(off <= worst)) worst = off, worst_mu = mu, worst_rho = rho; /* NaN is the worst */
            if (csv) fprintf(csv, "%.6g,%.6g,%.9g,%.9g\n", mu, rho, found, expected);
        }
        if (csv) fputc('\n', csv);
        paper_say(run, "mu %.3g: worst so far %.2g at mu %.3g, rho %.3g m", mu, worst, worst_mu, worst_rho);
    }
    paper_close(run, csv, "ab-fig2.csv");
    const double a = 5.0 / 7.0 * 0.1 / 0.5 * gravity * h / (2.0 * 2.5); /* a h/(2 U), the largest of the surface */
    paper_row(run, "surface-worst-relative", "", printed(0.0, "[AB] fig. 2, eq. of X_max: the whole surface"), worst,
              within(a * a, "the distance of the last step: |a| h^2/8 of U^2/(2 |a|)"));
}

/* ---- [TA] 6.1: the rolling disk --------------------------------------------------------------------------------------------- */

/// omega' = M g rho/(J + M R^2) = 0.14: rest after 1/0.14 s and 1/0.28 m.
static void ta61_law(paper_run *run, const char *law, FILE *csv)
{
    const double rate = 10.0 * 9.8 * 0.02 / (4.0 + 10.0), rest = 1.0 / rate;
    double end, gap_at_1 = 0.0, stop = 0.0, worst = 0.0, creep = 0.0;
    char name[48];
    paper_sets sets = {0};
    scree_step_report report = {0};
    paper_set(&sets, "stepper.law=%s", law);
    scree_simulation *simulation = paper_build(run, &sets, &end);
    ball_state s = {.speed = 1.0, .spin = -1.0}, at_rest = s;
    for (int step = 0; s.time < end - 1e-9; ++step) {
        double t = fmin(s.time, rest), expected = t - 0.5 * rate * t * t;
        if (csv && step % 50 == 0)
            fprintf(csv, "%s,%.6g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", law, s.time, s.x, s.speed, s.spin, s.gap, expected,
                    -1.0 + rate * t);
        worst = fmax(worst, fabs(s.spin - (-1.0 + rate * t)));
        if (!paper_step(run, simulation, &report)) break;
        s = observe(simulation, 2);
        if (fabs(s.time - 1.0) < 0.6 * report.h) gap_at_1 = s.gap;
        if (stop == 0.0 && fabs(s.spin) <= 1e-9) stop = s.time, at_rest = s;
        if (stop != 0.0) creep = fmax(creep, fabs(s.x - at_rest.x));
    }
    if (csv) fputs("\n\n", csv);
    paper_end(run, simulation);
    /* the convex law opens the contact at the speed rho |omega|, so that it floats h rho |omega| above the floor; to get there, the
     * first step lifts it, which costs rho^2 M/(J + M R^2) of the spin */
    const int convex = strcmp(law, "convex") == 0;
    const double h = report.h, lifted = convex ? 0.02 * 0.02 * 10.0 / 14.0 : 0.0;
    const struct {
        const char *what, *unit;
        double expected, found;
        paper_bound bound;
    } rows[] = {
        {"rest-time", "s", rest, stop,
         within((h + lifted / rate) / rest, "rest is seen at the end of its step; convex: the first step's lift")},
        {"rest-distance", "m", 0.5 * rest, at_rest.x,
         within((0.5 * h + lifted * rest) / (0.5 * rest),
                "the scheme moves with the end's velocity: v h/2; convex: the lift")},
        {"spin-worst", "1/s", 0.0, worst,
         within(1e-9 + lifted, "constant forces are exact; convex: the first step's lift takes rho^2 M/(J + M R^2)")},
        {"creep-at-rest", "m", 0.0, creep, within(0.0, "what rests, rests: not one bit")},
        {"gap-at-1s", "m", convex ? h * 0.02 * (1.0 - rate) : 0.0, gap_at_1,
         convex ? within(2.0 * h * rate / (1.0 - rate), "first order: omega changes by 0.14 h in a step")
                : within(1e-12, "the solver's tolerance, of 1 m")}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        snprintf(name, sizeof name, "%s-%s", law, rows[k].what);
        paper_row(run, name, rows[k].unit, closed_form(rows[k].expected), rows[k].found, rows[k].bound);
    }
}

void paper_ta61(paper_run *run)
{
    FILE *csv = paper_open(run, "ta61.csv", "law,t,x,speed,spin,gap,x_theory,spin_theory\n");
    ta61_law(run, "coulomb", csv);
    ta61_law(run, "convex", csv);
    paper_close(run, csv, "ta61.csv");
}
