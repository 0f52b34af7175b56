/* summary.c: DIR/summary.json, the run in one object (docs/formats.md). */
#include "run/output_private.h"

#include "base/fail.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// A JSON string; bytes below space, quotes and backslashes are escaped, the rest is UTF-8 as given.
static void put_string(out_file *f, const char *text)
{
    file_text(f, "\"");
    for (; *text; ++text) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == '"' || c == '\\') file_print(f, "\\u%04x", c);
        else file_bytes(f, text, 1);
    }
    file_text(f, "\"");
}

static void put_text(out_file *f, const char *key, const char *value)
{
    file_print(f, "  \"%s\": ", key);
    put_string(f, value);
    file_text(f, ",\n");
}

static void put_whole(out_file *f, const char *key, int64_t value)
{
    file_print(f, "  \"%s\": %lld,\n", key, (long long)value);
}

/// What JSON cannot say (NaN, infinity) is null.
static void put_value(out_file *f, double value)
{
    if (isfinite(value)) file_real(f, value, '\0');
    else file_text(f, "null");
}

static void put_real(out_file *f, const char *key, double value)
{
    file_print(f, "  \"%s\": ", key);
    put_value(f, value);
    file_text(f, ",\n");
}

typedef struct member {
    const char *key;
    double value;
} member;

static void put_object(out_file *f, const char *key, const member *members, int count)
{
    file_print(f, "  \"%s\": {", key);
    for (int k = 0; k < count; ++k) {
        file_print(f, "%s\n    \"%s\": ", k ? "," : "", members[k].key);
        put_value(f, members[k].value);
    }
    file_text(f, "\n  },\n");
}

static void put_energy(out_file *f, const scree_world *world, const scree_ledger *e)
{
    const scree_energy now = scree_world_energy(world);
#define LINE(name, sign, text) {#name, e->name},
    const member members[] = {
        {"kinetic", now.kinetic}, {"potential", now.potential}, SCREE_LEDGER_LINES(LINE) LINE(balance, 0, "")};
#undef LINE
    put_object(f, "energy", members, sizeof members / sizeof *members);
}

static void put_seconds(out_file *f, const scree_run_totals *t, double total)
{
    double stages = t->seconds_detect + t->seconds_assemble + t->seconds_solve + t->seconds_update;
    const member members[] = {{"total", total},
                              {"detect", t->seconds_detect},
                              {"assemble", t->seconds_assemble},
                              {"solve", t->seconds_solve},
                              {"update", t->seconds_update},
                              {"other", total - stages}};
    put_object(f, "seconds", members, sizeof members / sizeof *members);
}

scree_status scree_output_summary(scree_output *output, const scree_world *world, const scree_run_totals *totals,
                                  const scree_run_facts *facts, scree_error *error)
{
    char path[FILE_PATH_MAX];
    out_file f;
    if (error_stopped(error)) return error->status;
    scree_status status = output_path(output, "summary.json", path, error);
    if (status == SCREE_OK) status = file_create(&f, path, output->buffer, error);
    if (status != SCREE_OK) return error_keep(error, status);

    file_text(&f, "{\n");
    put_text(&f, "title", facts->title);
    put_text(&f, "outcome", facts->outcome);
    put_whole(&f, "steps", totals->steps);
    put_real(&f, "time", scree_world_time(world));
    put_whole(&f, "bodies", scree_world_dynamic_count(world));
    put_whole(&f, "contacts", scree_world_contact_count(world));
    put_whole(&f, "frames", output->frames);
    put_whole(&f, "unconverged", totals->unconverged);
    put_whole(&f, "retries", totals->retries);
    put_whole(&f, "iterations", totals->iterations);
    put_real(&f, "residual_mean", totals->steps > 0 ? totals->residual_sum / (double)totals->steps : 0.0);
    put_real(&f, "residual_max", totals->residual_max);
    put_real(&f, "penetration_max", totals->penetration_max);
    put_whole(&f, "joints", scree_world_joint_count(world));
    put_real(&f, "joint_error_max", totals->joint_error_max);
    put_real(&f, "joint_twist_max", totals->joint_twist_max);
    put_whole(&f, "certified", totals->certified);
    put_real(&f, "scaled_mean", totals->certified > 0 ? totals->scaled_sum / (double)totals->certified : 0.0);
    put_real(&f, "scaled_max", totals->scaled_max);
    put_real(&f, "cone_violation_max", totals->cone_violation_max);
    put_real(&f, "slip_at_stick_max", totals->slip_at_stick_max);
    put_energy(&f, world, &totals->energy);
    put_seconds(&f, totals, facts->seconds);
    put_whole(&f, "threads", facts->threads);
    put_text(&f, "version", scree_version());
    if (facts->commit) put_text(&f, "commit", facts->commit);
    file_print(&f, "  \"hash\": \"%016" PRIx64 "\"\n}\n", scree_world_hash(world));
    return error_keep(error, file_finish(&f, 0, error));
}
