/* quantities.h: the numbers that every run has, as one list: columns of series.csv and results of sweeps are expansions of it, so that a name
 * cannot stand over another value. */
#ifndef SCREE_RUN_QUANTITIES_H
#define SCREE_RUN_QUANTITIES_H

#include "laws/maps.h"

#include <scree/output.h>

/// Contacts of the last step that move in one of the kinds of friction.
static inline int quantity_moving(const scree_step_report *r, int kind)
{
    int count = 0;
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) count += mode_moves((scree_mode)m, kind) ? r->modes[m] : 0;
    return count;
}

/// The mode that most contacts are in, the first of equals.
static inline int quantity_mode(const scree_step_report *r)
{
    int best = 0;
    for (int m = 1; m < SCREE_MODE_COUNT; ++m) best = r->modes[m] > r->modes[best] ? m : best;
    return best;
}

static inline double quantity_mean(double sum, int64_t count)
{
    return count > 0 ? sum / (double)count : 0.0;
}

/* REAL, WHOLE: (column of the series, result of a sweep, unit, value); WORD: (column, text); as defined where the list is expanded.
 * An empty name: it is not there. Values with the prefix step_ belong to the last step; energies without it are sums over the run.
 * w: world, energy: its energy, r: report of the last step, t: totals. */
#define SUM_OF(name, sign, text)  REAL(#name, #name, "J", t->energy.name)
#define STEP_OF(name, sign, text) REAL("step_" #name, "", "J", r->energy.name)
#define RUN_QUANTITIES                                                                                                 \
    REAL("time", "time", "s", scree_world_time(w))                                                                     \
    WHOLE("step", "", "", scree_world_step_count(w))                                                                   \
    REAL("h", "h", "s", r->h)                                                                                          \
    WHOLE("bodies", "bodies", "", scree_world_dynamic_count(w))                                                        \
    WHOLE("contacts", "contacts", "", scree_world_contact_count(w))                                                    \
    WHOLE("active", "active", "", r->active)                                                                           \
    WHOLE("", "sliding", "", quantity_moving(r, SCREE_FRICTION_SLIDE))                                                 \
    WHOLE("", "rolling", "", quantity_moving(r, SCREE_FRICTION_ROLL))                                                  \
    WHOLE("", "spinning", "", quantity_moving(r, SCREE_FRICTION_SPIN))                                                 \
    WHOLE("", "mode", "", quantity_mode(r))                                                                            \
    WORD("outcome", r->step > 0 ? scree_outcome_name(r->solve.outcome) : "none")                                       \
    WORD("solver", r->solve.solver ? r->solve.solver : "none")                                                         \
    WHOLE("iterations", "", "", r->solve.iterations)                                                                   \
    REAL("residual", "residual", "", r->solve.residual)                                                                \
    REAL("penetration", "penetration", "m", r->penetration)                                                            \
    WHOLE("penetration_contact", "", "", r->penetration_contact)                                                       \
    REAL("penetration_speed", "penetration_speed", "m/s", r->penetration_speed)                                        \
    REAL("joint_error", "", "m", r->joint_error)                                                                       \
    REAL("joint_twist", "", "rad", r->joint_twist)                                                                     \
    WHOLE("retries", "", "", r->retries)                                                                               \
    WHOLE("unconverged", "", "", r->unconverged)                                                                       \
    REAL("kinetic", "kinetic", "J", energy.kinetic)                                                                    \
    REAL("potential", "potential", "J", energy.potential)                                                              \
    SCREE_LEDGER_LINES(SUM_OF)                                                                                         \
    REAL("balance", "balance", "J", t->energy.balance)                                                                 \
    SCREE_LEDGER_LINES(STEP_OF)                                                                                        \
    REAL("step_balance", "", "J", r->energy.balance)                                                                   \
    WHOLE("total_steps", "steps", "", t->steps)                                                                        \
    WHOLE("total_unconverged", "unconverged", "", t->unconverged)                                                      \
    WHOLE("total_retries", "retries", "", t->retries)                                                                  \
    WHOLE("total_iterations", "iterations", "", t->iterations)                                                         \
    REAL("residual_mean", "residual_mean", "", quantity_mean(t->residual_sum, t->steps))                               \
    REAL("residual_max", "residual_max", "", t->residual_max)                                                          \
    REAL("penetration_max", "penetration_max", "m", t->penetration_max)                                                \
    REAL("joint_error_max", "joint_error_max", "m", t->joint_error_max)                                                \
    REAL("joint_twist_max", "joint_twist_max", "rad", t->joint_twist_max)                                              \
    WHOLE("certified", "certified", "", t->certified)                                                                  \
    REAL("scaled_mean", "scaled_mean", "", quantity_mean(t->scaled_sum, t->certified))                                 \
    REAL("scaled_max", "scaled_max", "", t->scaled_max)                                                                \
    REAL("cone_violation_max", "cone_violation_max", "", t->cone_violation_max)                                        \
    REAL("slip_at_stick_max", "slip_at_stick_max", "m/s", t->slip_at_stick_max)

#endif
