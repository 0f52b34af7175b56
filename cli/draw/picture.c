/* picture.c: `scree picture DIR`: a frame of a run as PNG, or its frames as GIF or MP4. No display is needed. */
#include "cli/draw/picture.h"
#include "cli/cli.h"
#include "cli/draw/frame_option.h"
#include "cli/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: scree picture DIR [-o FILE] [--frame N|last | --time T] [--size WxH]\n"
    "                     [--view AZIMUTH,ELEVATION | --from X,Y,Z] [--at X,Y,Z] [--zoom F]\n"
    "                     [--color body|speed|size|contacts|material] [--forces] [--stripes] [--plain]\n"
    "                     [--no-joints]\n"
    "                     [--speed F] [--fps N] [--threads N]\n"
    "\n"
    "Draws a frame of the run in DIR; the last one if none is named. No display is needed.\n"
    "\n"
    "options:\n"
    "  -o FILE          .png: one frame; .gif, .mp4 (where ffmpeg is installed): all frames; default: DIR/picture.png\n"
    "  --frame N        the frame numbered N from 0, or last\n"
    "  --time T         the frame nearest to this time [s]\n"
    "  --size WxH       pixels; default 1200x800, animations 800x600\n"
    "  --view A,E       from where, in degrees: azimuth from the x axis towards y, elevation above the ground; default "
    "-62,22,\n"
    "                   and straight on for motion in a plane\n"
    "  --from X,Y,Z     where the eye is [m], instead of --view\n"
    "  --at X,Y,Z       what it looks at [m]; default: the middle of the bodies\n"
    "  --zoom F         F times as large\n"
    "  --color WHAT     body: colours of stones; speed, size, contacts: by value, with a legend; material\n"
    "  --forces         contact forces as lines over paled bodies: width and colour by the force\n"
    "  --stripes        a stripe on each sphere, so that one sees it roll\n"
    "  --no-joints      without the red marks of joints: axes of hinges and sliders, dots of balls, lines of "
    "distances\n"
    "  --plain          no scale bar, legend and time\n"
    "  --speed F        animations: seconds of the run in a second; default 1\n"
    "  --fps N          animations: at most this many images in a second; default 25\n"
    "  --threads N      threads; default: all cores. The pixels do not depend on their number\n"
    "  --help           this text\n"
    "\n"
    "The scale bar holds at the distance of what the eye looks at. docs/gallery.md has examples.\n"
    "\n"
    "exit status: 0 done; 2 wrong usage; 3 bad input; 4 machine failure (memory, disk, no ffmpeg)\n"
    "\n"
    "example:\n"
    "  scree run examples/pile.yaml -o out/pile && scree picture out/pile -o pile.png --color contacts\n";

enum { SIZE_MAX_PIXELS = 16384 };

typedef struct settings {
    const char *file, *frame, *time, *size, *view, *from, *at, *paint;
    double zoom, speed;
    int fps, threads;
    picture_options picture;
} settings;

/* ---- options ------------------------------------------------------------------------------------------------------------------- */

/// "1,2,3" as `count` numbers.
static int read_numbers(const char *option, const char *text, int count, double *x)
{
    const char *at = text;
    for (int k = 0; k < count; ++k) {
        char *end;
        x[k] = strtod(at, &end);
        if (end == at || !isfinite(x[k]) || *end != (k + 1 < count ? ',' : '\0'))
            return cli_usage("picture",
                             count > 1 ? "%s is '%s', expected %d numbers with commas between them"
                                       : "%s is '%s', expected %d number",
                             option, text, count);
        at = end + 1;
    }
    return CLI_GO_ON;
}

static int read_size(settings *s, int moving)
{
    picture_options *o = &s->picture;
    o->width = moving ? 800 : 1200, o->height = moving ? 600 : 800;
    if (!s->size) return CLI_GO_ON;
    char *x, *end;
    long width = strtol(s->size, &x, 10), height = *x == 'x' ? strtol(x + 1, &end, 10) : 0;
    if (*x != 'x' || *end || width < 16 || height < 16 || width > SIZE_MAX_PIXELS || height > SIZE_MAX_PIXELS)
        return cli_usage("picture", "--size is '%s', expected WxH in pixels, each from 16 to %d, as in 1200x800",
                         s->size, SIZE_MAX_PIXELS);
    o->width = (int)width, o->height = (int)height;
    return CLI_GO_ON;
}

static int read_paint(settings *s)
{
    const char *words[PAINTS] = {NULL};
    char hint[64];
    s->picture.paint = PAINT_BODY;
    if (!s->paint) return CLI_GO_ON;
    for (int k = 0; k < PAINTS; ++k) {
        words[k] = picture_paint_name(k);
        if (strcmp(words[k], s->paint) != 0) continue;
        s->picture.paint = (picture_paint)k;
        return CLI_GO_ON;
    }
    return cli_usage("picture", "--color is '%s', expected body, speed, size, contacts or material%s", s->paint,
                     cli_did_you_mean(s->paint, words, PAINTS, hint));
}

/// 0: PNG, 1: an animation; -1: the name says nothing.
static int is_animation(const char *file)
{
    const char *dot = strrchr(file, '.');
    if (dot && strcmp(dot, ".png") == 0) return 0;
    return dot && (strcmp(dot, ".gif") == 0 || strcmp(dot, ".mp4") == 0) ? 1 : -1;
}

static int read_options(settings *s, int moving)
{
    picture_options *o = &s->picture;
    o->zoom = s->zoom, o->samples = moving ? 2 : 3;
    o->has_view = s->view != NULL, o->has_from = s->from != NULL, o->has_at = s->at != NULL;
    int code = read_size(s, moving);
    if (code == CLI_GO_ON) code = read_paint(s);
    if (code == CLI_GO_ON && s->view && s->from) code = cli_usage("picture", "--view and --from exclude each other");
    if (code == CLI_GO_ON && s->frame && s->time) code = cli_usage("picture", "--frame and --time exclude each other");
    if (code == CLI_GO_ON && moving && (s->frame || s->time))
        code = cli_usage("picture", "%s has all frames: --frame and --time are for .png", s->file);
    if (code == CLI_GO_ON && s->view) code = read_numbers("--view", s->view, 2, o->view);
    if (code == CLI_GO_ON && s->from) code = read_numbers("--from", s->from, 3, o->from);
    if (code == CLI_GO_ON && s->at) code = read_numbers("--at", s->at, 3, o->at);
    return code;
}

/// The frame that --frame or --time names.
static int choose_frame(const settings *s, const char *folder, const scree_result *result, int *frame)
{
    int code = frame_option("picture", folder, result, s->frame, frame);
    double t = 0.0;
    if (code != CLI_GO_ON || !s->time) return code;
    code = read_numbers("--time", s->time, 1, &t);
    *frame = scree_result_nearest_frame(result, t);
    return code;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------------------- */

static scree_status draw_one(const settings *s, scree_result *result, int frame, scree_pool *pool, scree_error *error)
{
    picture_stage stage;
    scree_frame *f;
    scree_status status = picture_set_stage(&s->picture, result, &frame, 1, &stage, error);
    if (status == SCREE_OK) status = scree_result_frame(result, frame, &f, error);
    if (status != SCREE_OK) return status;
    image im = picture_draw(&s->picture, &stage, f, pool);
    scree_frame_free(f);
    status = image_write_png(&im, s->file, error);
    image_free(&im);
    return status;
}

/// The frames to show, so that `speed` seconds of the run take one: not more than fps in a second. Returns the delay [s].
static double choose_frames(const settings *s, const scree_result *result, int *frame, int *count)
{
    const double *time = scree_result_frame_times(result);
    int all = scree_result_frame_count(result);
    double between = all > 1 ? (time[all - 1] - time[0]) / (all - 1) / s->speed : 1.0;
    int stride = between > 0.0 ? (int)ceil(1.0 / s->fps / between - 1e-6) : 1;
    if (stride < 1) stride = 1;
    for (*count = 0; *count * (long)stride < all; ++*count) frame[*count] = *count * stride;
    return fmax(between * stride, 0.01);
}

static scree_status draw_all(const settings *s, scree_result *result, scree_pool *pool, scree_error *error)
{
    enum { LOOKED_AT = 12 };
    int *frame = cli_memory(((size_t)scree_result_frame_count(result) + 1) * sizeof *frame), count, some[LOOKED_AT];
    double delay = choose_frames(s, result, frame, &count);
    picture_stage stage;
    for (int k = 0; k < LOOKED_AT; ++k) some[k] = frame[(LOOKED_AT - 1 - k) * (count - 1) / (LOOKED_AT - 1)];
    scree_status status = picture_set_stage(&s->picture, result, some, LOOKED_AT, &stage, error);
    animation *a = NULL;
    for (int k = -1; k < count && status == SCREE_OK; ++k) { /* first the last one: it has the colours of all */
        scree_frame *f;
        status = scree_result_frame(result, frame[k < 0 ? count - 1 : k], &f, error);
        if (status != SCREE_OK) break;
        image im = picture_draw(&s->picture, &stage, f, pool);
        scree_frame_free(f);
        if (k < 0) status = (a = animation_start(s->file, delay, &im, error)) ? SCREE_OK : SCREE_ERR_WRITE;
        else animation_add(a, &im);
        image_free(&im);
    }
    scree_error later = {0};
    if (a) {
        scree_status ended = animation_end(a, status == SCREE_OK ? error : &later);
        if (status == SCREE_OK) status = ended;
    }
    free(frame);
    return status;
}

static int draw(settings *s, const char *folder, int moving)
{
    scree_error error = {.line = 0};
    scree_result *result;
    scree_pool *pool = NULL;
    int frame = 0, code = CLI_GO_ON;
    scree_status status = scree_result_open(folder, NULL, &result, &error);
    if (status == SCREE_OK) code = moving ? frame_option_any(folder, result) : choose_frame(s, folder, result, &frame);
    if (status == SCREE_OK && code == CLI_GO_ON) status = scree_pool_create(s->threads, NULL, &pool);
    if (status == SCREE_OK && code == CLI_GO_ON) {
        status = moving ? draw_all(s, result, pool, &error) : draw_one(s, result, frame, pool, &error);
    }
    scree_pool_destroy(pool);
    scree_result_close(result);
    if (status != SCREE_OK && !error.text[0])
        scree_error_set(&error, NULL, 0, 0, "out of memory for %d threads", s->threads);
    if (status != SCREE_OK) cli_print_error(&error, NULL, 0);
    if (code != CLI_GO_ON) return code;
    if (status == SCREE_OK) printf("%s\n", s->file);
    return cli_exit_of(status);
}

int cli_picture(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    settings s = {.zoom = 1.0, .speed = 1.0, .fps = 25, .threads = cores < 1 ? 1 : cores > 64 ? 64 : (int)cores};
    picture_options *o = &s.picture;
    const cli_option options[] = {
        {"-o", CLI_TEXT, &s.file},
        {"--frame", CLI_TEXT, &s.frame},
        {"--time", CLI_TEXT, &s.time},
        {"--size", CLI_TEXT, &s.size},
        {"--view", CLI_TEXT, &s.view},
        {"--from", CLI_TEXT, &s.from},
        {"--at", CLI_TEXT, &s.at},
        {"--zoom", CLI_REAL, &s.zoom},
        {"--color", CLI_TEXT, &s.paint},
        {"--forces", CLI_FLAG, &o->forces},
        {"--stripes", CLI_FLAG, &o->stripes},
        {"--plain", CLI_FLAG, &o->plain},
        {"--speed", CLI_REAL, &s.speed},
        {"--fps", CLI_COUNT, &s.fps},
        {"--threads", CLI_COUNT, &s.threads},
        {"--no-joints", CLI_FLAG, &o->no_joints},
    };
    int operands, code = cli_options(argc, argv, help, options, sizeof options / sizeof *options, &operands);
    if (code != CLI_GO_ON) return code;
    if (operands != 1) return cli_usage("picture", "%d folders given, expected one: that of a run", operands);
    char *standard = cli_memory(strlen(argv[1]) + 16);
    sprintf(standard, "%s/picture.png", argv[1]);
    if (!s.file) s.file = standard;
    int moving = is_animation(s.file);
    if (moving < 0) code = cli_usage("picture", "-o is '%s', expected a name that ends in .png, .gif or .mp4", s.file);
    if (code == CLI_GO_ON) code = read_options(&s, moving);
    if (code == CLI_GO_ON) code = draw(&s, argv[1], moving);
    free(standard);
    return code;
}
