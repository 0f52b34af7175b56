/* run_table.c: see run_table.h. */
#include "cli/run_table.h"

#include "cli/lost.h"
#include "cli/run_folder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

/// The energies of the run, those that are not zero, and what is missing between them. `soft`: that is the error of the integration.
static void print_energy(const scree_world *world, const scree_ledger *e, int soft)
{
    const struct {
        const char *name;
        double value;
#define LINE(name, sign, text) {#name, e->name},
    } rows[] = {SCREE_LEDGER_LINES(LINE)};
#undef LINE
    scree_energy now = scree_world_energy(world);
    double largest = fmax(fabs(now.kinetic), fabs(now.potential));
    printf("energy [J]   kinetic %.6g, potential %.6g at the end\n", now.kinetic, now.potential);
    printf("             over the run:");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        largest = fmax(largest, fabs(rows[k].value));
        if (rows[k].value != 0.0) printf(" %s %.4g", rows[k].name, rows[k].value);
    }
    const double lost = scree_ledger_lost(e);
    printf("\n             closing error %.2g", e->balance);
    if (soft && lost > 0.0)
        printf(", %.2g %% of the %.4g lost: the time step's", 100.0 * fabs(e->balance) / lost, lost);
    else if (largest > 0.0) printf(", %.1g of the largest", fabs(e->balance) / largest);
    printf("\n");
}

static void print_files(const char *folder, int64_t frames)
{
    char path[RUN_PATH_MAX];
    struct stat is;
    printf("files        %s:", folder);
    for (int k = 0; scree_run_folder_entry(k); ++k)
        if (stat(run_folder_path(folder, scree_run_folder_entry(k), path), &is) == 0)
            printf(" %s", scree_run_folder_entry(k));
    printf(" (frames: %lld)\n", (long long)frames);
}

void run_print_table(const char *folder, const char *title, const scree_world *world, const scree_run_report *run,
                     double critical)
{
    const scree_run_totals *totals = &run->totals;
    double steps = totals->steps > 0 ? (double)totals->steps : 1.0;
    double stages = totals->seconds_detect + totals->seconds_assemble + totals->seconds_solve + totals->seconds_update;
    if (title[0]) printf("%s\n", title);
    printf("steps        %lld, to t = %g s; bodies %d, contacts %d\n", (long long)totals->steps,
           scree_world_time(world), scree_world_dynamic_count(world), scree_world_contact_count(world));
    if (run->rests) printf("stopped      before t = %g s: everything rests\n", run->until);
    if (critical > 0.0 && isfinite(critical))
        printf("critical     %.3g s is the largest stable step as the run ends\n", critical);
    else if (critical == 0.0) {
        printf("sweeps       %.1f a step\n", (double)totals->iterations / steps);
        printf("residual     mean %.2e, worst %.2e; steps that did not converge: %lld\n", totals->residual_sum / steps,
               totals->residual_max, (long long)totals->unconverged);
    }
    if (totals->certified > 0)
        printf("certified    %lld steps: scaled residual mean %.2e, worst %.2e; cone violation %.2e; slip at stick "
               "%.2e m/s\n",
               (long long)totals->certified, totals->scaled_sum / (double)totals->certified, totals->scaled_max,
               totals->cone_violation_max, totals->slip_at_stick_max);
    printf("penetration  %.2e m at worst\n", totals->penetration_max);
    lost_print_end(stdout, world);
    if (scree_world_joint_count(world) > 0)
        printf("joints       %d: apart by %.2e m, rotated by %.2e rad at worst\n", scree_world_joint_count(world),
               totals->joint_error_max, totals->joint_twist_max);
    print_energy(world, &totals->energy, critical > 0.0);
    printf("seconds      %.2f: detect %.2f, assemble %.2f, solve %.2f, update %.2f, other %.2f\n", run->seconds,
           totals->seconds_detect, totals->seconds_assemble, totals->seconds_solve, totals->seconds_update,
           run->seconds - stages);
    printf("hash         %016" PRIx64 "\n", run->hash);
    print_files(folder, run->frames);
}

void run_print_file(const char *folder, const char *name)
{
    char path[RUN_PATH_MAX], bytes[4096];
    FILE *file = fopen(run_folder_path(folder, name, path), "rb");
    if (!file) return;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) fwrite(bytes, 1, n, stdout);
    fclose(file);
}
