/* series.c: series.csv and timing.csv, a row per frame (docs/formats.md).
 *
 * The columns that every run has are those of quantities.h; then contacts by mode, forces on fixed and driven bodies, joints, and
 * what the scene measures. What the clock shows is in timing.csv, so that series.csv has the same bytes for the same run. */
#include "run/output_private.h"
#include "run/quantities.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const parts[6] = {"force_x[N]",    "force_y[N]",    "force_z[N]",
                                     "moment_x[N m]", "moment_y[N m]", "moment_z[N m]"};

static void name_column(out_file *f, const char *owner, const char *part)
{
    char column[320];
    snprintf(column, sizeof column, "%s.%s", owner, part);
    file_csv_word(f, column);
    file_text(f, ",");
}

/// Columns of the joints that have a name: reaction, and where there are, coordinate and load of the motor.
static void name_joints(out_file *f, const scree_world *world)
{
    static const char *const coordinate[SCREE_JOINT_KIND_COUNT] = {[SCREE_JOINT_HINGE] = "angle[rad]",
                                                                   [SCREE_JOINT_SLIDER] = "way[m]",
                                                                   [SCREE_JOINT_DISTANCE] = "length[m]",
                                                                   [SCREE_JOINT_CYLINDRICAL] = "way[m]",
                                                                   [SCREE_JOINT_SLOT] = "way[m]"};
    for (int j = 0; j < scree_world_joint_count(world); ++j) {
        const scree_joint_def *def = scree_world_joint(world, scree_joint_at(j));
        const char *name = scree_world_joint_name(world, scree_joint_at(j));
        if (!name[0]) continue;
        for (int i = 0; i < 6; ++i) name_column(f, name, parts[i]);
        if (coordinate[def->kind]) name_column(f, name, coordinate[def->kind]);
        if (def->motor) name_column(f, name, def->kind == SCREE_JOINT_HINGE ? "motor[N m]" : "motor[N]");
        if (def->kind == SCREE_JOINT_CYLINDRICAL) name_column(f, name, "angle[rad]");
        if (def->turn.motor) name_column(f, name, "turn_motor[N m]");
    }
}

static void write_joints(out_file *f, const scree_world *world)
{
    const scree_joint_state *state = scree_world_joint_states(world);
    for (int j = 0; j < scree_world_joint_count(world); ++j) {
        const scree_joint_def *def = scree_world_joint(world, scree_joint_at(j));
        if (!scree_world_joint_name(world, scree_joint_at(j))[0]) continue;
        for (int i = 0; i < 3; ++i) file_real(f, state[j].force[i], ',');
        for (int i = 0; i < 3; ++i) file_real(f, state[j].moment[i], ',');
        if (def->kind != SCREE_JOINT_BALL && def->kind != SCREE_JOINT_FIXED) file_real(f, state[j].coordinate, ',');
        if (def->motor) file_real(f, state[j].motor, ',');
        if (def->kind == SCREE_JOINT_CYLINDRICAL) file_real(f, state[j].turn, ',');
        if (def->turn.motor) file_real(f, state[j].turn_motor, ',');
    }
}

/// "kinetic[J],"; nothing for a quantity that the series does not have.
static void name_quantity(out_file *f, const char *name, const char *unit)
{
    if (name[0]) file_print(f, unit[0] ? "%s[%s]," : "%s,", name, unit);
}

static void write_header(out_file *f, const scree_output *o, const scree_world *world)
{
    char name[256];
#define REAL(series, sweep, unit, value)  name_quantity(f, series, unit);
#define WHOLE(series, sweep, unit, value) REAL(series, sweep, unit, value)
#define WORD(series, text)                REAL(series, "", "", text)
    RUN_QUANTITIES
#undef REAL
#undef WHOLE
#undef WORD
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) file_print(f, "mode_%s,", scree_mode_name(m));
    for (int k = 0; k < o->wall_count; ++k)
        for (int i = 0; i < 6; ++i) {
            scree_world_body_name(world, scree_body_at(o->wall[k]), name, sizeof name);
            name_column(f, name, parts[i]);
        }
    name_joints(f, world);
    for (int k = 0; k < scree_measures_count(o->options.measures); ++k) {
        const char *unit = scree_measures_unit(o->options.measures, k);
        char column[192];
        snprintf(column, sizeof column, unit[0] ? "%s[%s]" : "%s", scree_measures_name(o->options.measures, k), unit);
        file_csv_word(f, column);
        file_text(f, ",");
    }
    file_text(f, "hash\n");
}

static void write_row(out_file *f, const scree_output *o, const frame_source *now)
{
    const scree_world *w = now->world;
    const scree_step_report *r = now->report;
    const scree_run_totals *t = now->totals;
    const scree_energy energy = scree_world_energy(w);
#define REAL(series, sweep, unit, value)                                                                               \
    if ((series)[0]) file_real(f, value, ',');
#define WHOLE(series, sweep, unit, value)                                                                              \
    if ((series)[0]) file_print(f, "%lld,", (long long)(value));
#define WORD(series, text) file_text(f, text), file_text(f, ",");
    RUN_QUANTITIES
#undef REAL
#undef WHOLE
#undef WORD
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) file_print(f, "%d,", r->modes[m]);
    for (int k = 0; k < o->wall_count; ++k) {
        double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
        if (r->h > 0.0 && scree_world_body_kind(w, scree_body_at(o->wall[k])) != SCREE_BODY_REMOVED)
            scree_world_contact_force(w, scree_body_at(o->wall[k]), force, moment);
        for (int i = 0; i < 3; ++i) file_real(f, force[i], ',');
        for (int i = 0; i < 3; ++i) file_real(f, moment[i], ',');
    }
    write_joints(f, w);
    for (int k = 0; k < scree_measures_count(o->options.measures); ++k)
        file_real(f, scree_measures_value(o->options.measures, k), ',');
    file_print(f, "%016" PRIx64 "\n", scree_world_hash(w));
}

static scree_status write_timing(out_file *f, const frame_source *now, scree_error *error)
{
    const scree_run_totals *t = now->totals;
    const double seconds[] = {t->seconds_detect, t->seconds_assemble, t->seconds_solve, t->seconds_update};
    if (f->size == 0)
        file_text(f, "time[s],step,contacts,iterations,clock[s],detect[s],assemble[s],solve[s],update[s]\n");
    file_real(f, scree_world_time(now->world), ',');
    file_print(f, "%lld,%d,%lld,", (long long)scree_world_step_count(now->world), scree_world_contact_count(now->world),
               (long long)t->iterations);
    file_real(f, clock_seconds(), ',');
    for (int k = 0; k < 4; ++k) file_real(f, seconds[k], k < 3 ? ',' : '\n');
    return growing_commit(f, error);
}

scree_status series_write(scree_output *o, const frame_source *f, scree_error *error)
{
    out_file *series = &o->growing[OUT_SERIES];
    if (series->size == 0) write_header(series, o, f->world);
    write_row(series, o, f);
    scree_status status = growing_commit(series, error);
    return status == SCREE_OK ? write_timing(&o->growing[OUT_TIMING], f, error) : status;
}
