/* heap.c: `scree heap DIR...`: height, base and angle of repose of the spheres of a run, and the profile of the heap (run/heap.c). */
#include "cli/cli.h"
#include "cli/draw/plot.h"
#include "cli/run_folder.h"
#include "cli/system.h"

#include <scree/files.h>
#include <scree/result.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_about about = {
    .operands = "DIR...",
    .text = "Measures the heap that the spheres of a run form, at its last frame, and draws its profile: the "
            "height of the surface, averaged over rings about the axis, over the distance from the axis. Several "
            "runs share one table and one plot.\n"
            "\n"
            "  angle   angle of repose: slope of the line through the rings between 0.2 and 0.8 of the height\n"
            "  cone    slope of the cone with the same mean height and mean squared radius\n"
            "  base    mean distance of the grains that touch the floor from their middle",
    .exits = "0 done; 2 wrong usage; 3 bad input; 4 machine failure (memory, disk)",
    .examples = "scree heap out/pile out/flat -o out/profiles",
};

enum { HEAPS_MAX = 8 };
static const double DEGREES = 57.29577951308232;

/// The dynamic spheres above the floor of one frame, measured.
static scree_heap measure(scree_result *result, int index, const scree_heap_options *options, scree_error *error)
{
    scree_frame *f = scree_result_frame(result, index, error);
    if (!f) return (scree_heap){0};
    double *x = cli_memory(((size_t)f->shape_count + 1) * 3 * sizeof *x);
    double *radius = cli_memory(((size_t)f->shape_count + 1) * sizeof *radius), q[4];
    int count = 0;
    for (int s = 0; s < f->shape_count; ++s) {
        if (f->shape[s].kind != SCREE_SHAPE_SPHERE || f->kind[f->shape_body[s]] != SCREE_BODY_DYNAMIC) continue;
        scree_frame_shape_pose(f, s, x + 3 * (size_t)count, q);
        if (x[3 * (size_t)count + 2] >= options->floor) radius[count++] = f->shape[s].size[0];
    }
    scree_heap heap = scree_heap_measure(options, count, x, radius, NULL, error);
    free(x), free(radius);
    scree_frame_free(f);
    return heap;
}

/// Returns CLI_GO_ON, or an exit status after a message.
static int read_heap(const char *folder, const char *frame, const scree_heap_options *options, scree_heap *heap)
{
    scree_error error = {0};
    int index;
    scree_result *result = scree_result_open(folder, NULL, &error);
    scree_status status = error.status;
    int code = status == SCREE_OK ? frame_option("heap", folder, result, frame, &index) : cli_exit_of(status);
    if (code == CLI_GO_ON) {
        *heap = measure(result, index, options, &error);
        status = error.status;
        if (status == SCREE_OK && heap->grains == 0) {
            scree_error_set(&error, folder, 0, 0, "there is no dynamic sphere above the floor at z = %g m",
                            options->floor);
            status = SCREE_ERR_INPUT;
        }
        if (status != SCREE_OK) code = cli_exit_of(status);
    }
    if (status != SCREE_OK) cli_print_error(&error, NULL, 0);
    scree_result_close(result);
    return code;
}

static void print_table(int count, char **folder, const scree_heap *heap)
{
    int wide = 3;
    for (int k = 0; k < count; ++k) wide = (int)fmax(wide, (double)strlen(folder[k]));
    printf("%-*s  %8s %12s %12s %12s %12s\n", wide, "run", "grains", "height [mm]", "base [mm]", "angle [deg]",
           "cone [deg]");
    for (int k = 0; k < count; ++k) {
        char angle[16] = "none";
        if (heap[k].flank_rings >= 2) snprintf(angle, sizeof angle, "%.1f", DEGREES * heap[k].flank_angle);
        printf("%-*s  %8d %12.1f %12.1f %12s %12.1f\n", wide, folder[k], heap[k].grains, 1e3 * heap[k].height,
               1e3 * heap[k].base_radius, angle, DEGREES * heap[k].cone_angle);
    }
}

static void print_json(int count, char **folder, const scree_heap *heap)
{
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_list(&j, "heaps");
    for (int k = 0; k < count; ++k) {
        scree_json_object(&j, NULL);
        scree_json_text(&j, "run", folder[k]);
#define VALUE(member, unit, text) scree_json_number(&j, #member, (double)heap[k].member);
        SCREE_HEAP_VALUES(VALUE)
#undef VALUE
        scree_json_integer(&j, "flank_rings", heap[k].flank_rings);
        scree_json_close(&j);
    }
    scree_json_close(&j);
    scree_json_close(&j);
}

/// The profiles, in millimetres.
static scree_status draw(int count, char **folder, const scree_heap *heap, const char *stem, int to_terminal,
                         scree_error *error)
{
    static double x[HEAPS_MAX][SCREE_HEAP_RINGS], y[HEAPS_MAX][SCREE_HEAP_RINGS];
    static char name[HEAPS_MAX][128];
    plot_series line[HEAPS_MAX];
    double far = 0.0, high = 0.0;
    for (int k = 0; k < count; ++k) {
        int rings = heap[k].ring_count;
        while (rings > 1 && heap[k].ring_height[rings - 1] < 0.05 * heap[k].mean_radius) --rings; /* bare floor */
        for (int i = 0; i < rings; ++i)
            x[k][i] = 1e3 * (i + 0.5) * heap[k].ring_width, y[k][i] = 1e3 * heap[k].ring_height[i];
        far = fmax(far, 1e3 * rings * heap[k].ring_width), high = fmax(high, 1e3 * heap[k].height);
        const char *slash = strrchr(folder[k], '/');
        snprintf(name[k], sizeof name[k], "%.90s: %.1f deg", slash && slash[1] ? slash + 1 : folder[k],
                 DEGREES * heap[k].flank_angle);
        line[k] = (plot_series){name[k], rings, x[k], y[k]};
    }
    const plot p = {.title = "profile and angle of repose",
                    .x_label = "distance from the axis [mm]",
                    .y_label = "height [mm]",
                    .x_max = far,
                    .y_max = high,
                    .series_count = count,
                    .series = line};
    if (to_terminal) plot_write_text(&p, 78, 18, stdout);
    return stem ? plot_write(&p, stem, error) : SCREE_OK;
}

int cli_heap(int argc, char **argv)
{
    int as_json = 0, operands;
    const char *stem = NULL, *frame = NULL;
    scree_heap_options how = scree_heap_options_default();
    /* clang-format off */
    const cli_option options[] = {
        {"--frame", "N", CLI_TEXT, &frame,
         .text = "this frame, numbered from 0, instead of the last"},
        {"--floor", "Z", CLI_NUMBER, &how.floor,
         .text = "height of the floor; default 0", .unit = "m"},
        {"-o", "STEM", CLI_PATH, &stem,
         .text = "the profiles as STEM.svg and STEM.png"},
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands < 1 || operands > HEAPS_MAX)
        return cli_usage("heap", "%d folders given, expected 1 to %d", operands, HEAPS_MAX);
    static scree_heap heap[HEAPS_MAX];
    scree_error error = {.line = 0};
    for (int k = 0; k < operands && code == CLI_GO_ON; ++k) code = read_heap(argv[k + 1], frame, &how, &heap[k]);
    if (code != CLI_GO_ON) return code;
    if (as_json) print_json(operands, argv + 1, heap);
    else print_table(operands, argv + 1, heap);
    scree_status status = draw(operands, argv + 1, heap, stem, !as_json, &error);
    if (status != SCREE_OK) cli_print_error(&error, NULL, 0);
    return cli_exit_of(status);
}
