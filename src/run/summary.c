/* summary.c: DIR/summary.json, the run in one object (docs/formats.md). */
#include "run/output_private.h"

#include "base/fail.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct member {
    const char *key;
    double value;
} member;

static void put_object(scree_json *j, const char *key, const member *members, int count)
{
    scree_json_object(j, key);
    for (int k = 0; k < count; ++k) scree_json_number(j, members[k].key, members[k].value);
    scree_json_close(j);
}

static void put_energy(scree_json *j, const scree_world *world, const scree_ledger *e)
{
    const scree_energy now = scree_world_energy(world);
#define LINE(name, sign, text) {#name, e->name},
    const member members[] = {{"kinetic", now.kinetic},
                              {"potential", now.potential},
                              SCREE_LEDGER_LINES(LINE) LINE(balance, 0, ""){"lost", scree_ledger_lost(e)}};
#undef LINE
    put_object(j, "energy", members, sizeof members / sizeof *members);
}

static void put_seconds(scree_json *j, const scree_run_totals *t, double total)
{
    double stages = t->seconds_detect + t->seconds_assemble + t->seconds_solve + t->seconds_update;
    const member members[] = {{"total", total},
                              {"detect", t->seconds_detect},
                              {"assemble", t->seconds_assemble},
                              {"solve", t->seconds_solve},
                              {"update", t->seconds_update},
                              {"other", total - stages}};
    put_object(j, "seconds", members, sizeof members / sizeof *members);
}

static void to_file(void *context, const char *bytes, size_t size)
{
    file_bytes(context, bytes, size);
}

scree_status scree_output_summary(scree_output *output, const scree_world *world, const scree_run_totals *totals,
                                  const scree_run_facts *facts, scree_error *error)
{
    char path[FILE_PATH_MAX], hash[20];
    out_file f;
    if (error_stopped(error)) return error->status;
    scree_status status = output_path(output, "summary.json", path, error);
    if (status == SCREE_OK) status = file_create(&f, path, output->buffer, error);
    if (status != SCREE_OK) return error_keep(error, status);

    scree_json j = json_start_at(to_file, &f);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "title", facts->title);
    scree_json_text(&j, "outcome", facts->outcome);
    scree_json_integer(&j, "steps", totals->steps);
    scree_json_number(&j, "time", scree_world_time(world));
    scree_json_integer(&j, "bodies", scree_world_dynamic_count(world));
    scree_json_integer(&j, "contacts", scree_world_contact_count(world));
    scree_json_integer(&j, "frames", output->frames);
    scree_json_integer(&j, "lost", scree_world_lost(world, 0, 0, NULL));
    scree_json_integer(&j, "unconverged", totals->unconverged);
    scree_json_integer(&j, "retries", totals->retries);
    scree_json_integer(&j, "iterations", totals->iterations);
    scree_json_number(&j, "residual_mean", totals->steps > 0 ? totals->residual_sum / (double)totals->steps : 0.0);
    scree_json_number(&j, "residual_max", totals->residual_max);
    scree_json_number(&j, "penetration_max", totals->penetration_max);
    scree_json_integer(&j, "joints", scree_world_joint_count(world));
    scree_json_number(&j, "joint_error_max", totals->joint_error_max);
    scree_json_number(&j, "joint_twist_max", totals->joint_twist_max);
    scree_json_integer(&j, "certified", totals->certified);
    scree_json_number(&j, "scaled_mean", totals->certified > 0 ? totals->scaled_sum / (double)totals->certified : 0.0);
    scree_json_number(&j, "scaled_max", totals->scaled_max);
    scree_json_number(&j, "cone_violation_max", totals->cone_violation_max);
    scree_json_number(&j, "slip_at_stick_max", totals->slip_at_stick_max);
    put_energy(&j, world, &totals->energy);
    put_seconds(&j, totals, facts->seconds);
    scree_json_integer(&j, "threads", facts->threads);
    scree_json_text(&j, "version", scree_version());
    if (facts->commit) scree_json_text(&j, "commit", facts->commit);
    snprintf(hash, sizeof hash, "%016" PRIx64, scree_world_hash(world));
    scree_json_text(&j, "hash", hash);
    scree_json_close(&j);
    return error_keep(error, file_finish(&f, 0, error));
}
