/* picture.c: `scree picture DIR`: a frame of a run as PNG, or its frames as GIF or MP4. No display is needed. */
#include "cli/draw/picture.h"
#include "cli/cli.h"
#include "cli/run_folder.h"
#include "cli/system.h"

#include <scree/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_about about = {
    .operands = "DIR",
    .text = "Draws a frame of the run in DIR; the last one if none is named. No display is needed.",
    .notes = "The scale bar holds at the distance of what the eye looks at. docs/gallery.md has examples.",
    .exits = "0 done; 2 wrong usage; 3 bad input; 4 machine failure (memory, disk, no ffmpeg)",
    .examples = "scree run examples/pile.yaml -o out/pile && scree picture out/pile -o pile.png --color contacts",
};

enum { SIZE_MAX_PIXELS = 16384 };

typedef struct settings {
    const char *file, *frame, *size, *view, *from, *at, *paint, *cut, *glass;
    double zoom, speed, time; /* time < 0: not given */
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
            return cli_usage("picture", "%s is '%s', expected %d numbers with commas between them", option, text,
                             count);
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

/// "y", "y=0.02", "y=20 mm".
static int read_cut(const char *text, picture_options *o)
{
    scree_unit_value q;
    scree_error error = {0};
    const char *axis = text[0] ? strchr("xyz", text[0]) : NULL;
    if (axis && (!text[1] || text[1] == '=')) {
        o->cut = 1 + (text[0] - 'x');
        o->has_cut_at = text[1] == '=';
        if (!o->has_cut_at) return CLI_GO_ON;
        if (scree_unit_parse(text + 2, "m", &q, &error) == SCREE_OK && isfinite(q.value)) {
            o->cut_at = q.value;
            return CLI_GO_ON;
        }
    }
    return cli_usage("picture", "--cut is '%s', expected an axis, or an axis and a place on it: y, y=0.02, y='20 mm'",
                     text);
}

static const char *const *paint_words(void)
{
    static const char *words[PAINTS + 1];
    for (int k = 0; k < PAINTS; ++k) words[k] = picture_paint_name(k);
    return words;
}

static picture_paint paint_of_word(const char *word)
{
    int k = 0;
    while (k + 1 < PAINTS && strcmp(picture_paint_name(k), word) != 0) ++k;
    return (picture_paint)k;
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
    o->glass_walls = s->glass && strcmp(s->glass, "bodies") != 0;
    o->glass_bodies = s->glass && strcmp(s->glass, "walls") != 0;
    if (code == CLI_GO_ON && s->cut) code = read_cut(s->cut, o);
    o->paint = s->paint ? paint_of_word(s->paint) : PAINT_BODY;
    if (code == CLI_GO_ON && s->view && s->from) code = cli_usage("picture", "--view and --from exclude each other");
    if (code == CLI_GO_ON && s->frame && s->time >= 0.0)
        code = cli_usage("picture", "--frame and --time exclude each other");
    if (code == CLI_GO_ON && moving && (s->frame || s->time >= 0.0))
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
    if (code == CLI_GO_ON && s->time >= 0.0) *frame = scree_result_nearest_frame(result, s->time);
    return code;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------------------- */

static scree_status draw_moment(const settings *s, scree_result *result, const picture_stage *stage, int frame,
                                scree_pool *pool, image *im, scree_error *error)
{
    scree_frame *f = scree_result_frame(result, frame, error);
    if (!f) return error->status;
    *im = picture_draw(&s->picture, stage, f, pool);
    scree_frame_free(f);
    return SCREE_OK;
}

static scree_status draw_one(const settings *s, scree_result *result, int frame, scree_pool *pool, scree_error *error)
{
    picture_stage stage;
    scree_status status = picture_set_stage(&s->picture, result, &frame, 1, &stage, error);
    if (status != SCREE_OK) {
        picture_free_stage(&stage);
        return status;
    }
    image im = {0};
    status = draw_moment(s, result, &stage, frame, pool, &im, error);
    if (status == SCREE_OK) status = image_write_png(&im, s->file, error);
    image_free(&im);
    picture_free_stage(&stage);
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

enum { SAMPLES = 4 /* images from which an animation has its colours, the first and the last one among them */ };

static scree_status draw_samples(const settings *s, scree_result *result, const picture_stage *stage, const int *frame,
                                 int count, scree_pool *pool, image sample[SAMPLES], scree_error *error)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < SAMPLES && status == SCREE_OK; ++k)
        status = draw_moment(s, result, stage, frame[k * (count - 1) / (SAMPLES - 1)], pool, &sample[k], error);
    return status;
}

static scree_status draw_all(const settings *s, scree_result *result, scree_pool *pool, scree_error *error)
{
    enum { LOOKED_AT = 12 };
    image sample[SAMPLES] = {{0}};
    int *frame = cli_memory(((size_t)scree_result_frame_count(result) + 1) * sizeof *frame), count, some[LOOKED_AT];
    double delay = choose_frames(s, result, frame, &count);
    picture_stage stage;
    for (int k = 0; k < LOOKED_AT; ++k) some[k] = frame[(LOOKED_AT - 1 - k) * (count - 1) / (LOOKED_AT - 1)];
    scree_status status = picture_set_stage(&s->picture, result, some, LOOKED_AT, &stage, error);
    animation *a = NULL;
    if (status == SCREE_OK) status = draw_samples(s, result, &stage, frame, count, pool, sample, error);
    if (status == SCREE_OK && !(a = animation_start(s->file, delay, sample, SAMPLES, error))) status = SCREE_ERR_WRITE;
    for (int k = 0; k < SAMPLES; ++k) image_free(&sample[k]);
    for (int k = 0; k < count && status == SCREE_OK; ++k) {
        image im;
        status = draw_moment(s, result, &stage, frame[k], pool, &im, error);
        if (status != SCREE_OK) break;
        animation_add(a, &im);
        image_free(&im);
    }
    scree_error later = {0};
    if (a) {
        scree_status ended = animation_end(a, status == SCREE_OK ? error : &later);
        if (status == SCREE_OK) status = ended;
    }
    picture_free_stage(&stage);
    free(frame);
    return status;
}

static int draw(settings *s, const char *folder, int moving)
{
    scree_error error = {0};
    scree_pool *pool = NULL;
    int frame = 0, code = CLI_GO_ON;
    scree_result *result = scree_result_open(folder, NULL, &error);
    scree_status status = error.status;
    if (status == SCREE_OK) code = moving ? frame_option_any(folder, result) : choose_frame(s, folder, result, &frame);
    if (status == SCREE_OK && code == CLI_GO_ON)
        pool = scree_pool_create(s->threads, NULL, &error), status = error.status;
    if (status == SCREE_OK && code == CLI_GO_ON) {
        status = moving ? draw_all(s, result, pool, &error) : draw_one(s, result, frame, pool, &error);
    }
    scree_pool_destroy(pool);
    scree_result_close(result);
    if (status != SCREE_OK) cli_print_error(&error, NULL, 0);
    if (code != CLI_GO_ON) return code;
    if (status == SCREE_OK) printf("%s\n", s->file);
    return cli_exit_of(status);
}

int cli_picture(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    settings s = {.zoom = 1.0,
                  .speed = 1.0,
                  .time = -1.0,
                  .fps = 25,
                  .threads = cores < 1    ? 1
                             : cores > 64 ? 64
                                          : (int)cores};
    picture_options *o = &s.picture;
    static const char *const glass_words[] = {"walls", "bodies", "both", NULL};
    /* clang-format off */
    const cli_option options[] = {
        {"-o", "FILE", CLI_PATH, &s.file,
         .text = "the file to write. .png: one frame; .gif, .mp4 (where ffmpeg is installed): all frames; default: DIR/picture.png"},
        {"--frame", "N", CLI_TEXT, &s.frame,
         .text = "the frame numbered N from 0, or last"},
        {"--time", "T", CLI_NOT_NEGATIVE, &s.time,
         .text = "the frame nearest to this time", .unit = "s"},
        {"--size", "WxH", CLI_TEXT, &s.size,
         .text = "pixels; default 1200x800, animations 800x600"},
        {"--view", "A,E", CLI_TEXT, &s.view,
         .text = "from where: azimuth from the x axis towards y, elevation above the ground; default -62,22, and "
         "straight on for motion in a plane", .unit = "deg"},
        {"--from", "X,Y,Z", CLI_TEXT, &s.from,
         .text = "where the eye is, instead of --view", .unit = "m"},
        {"--at", "X,Y,Z", CLI_TEXT, &s.at,
         .text = "what it looks at; default: the middle of the bodies", .unit = "m"},
        {"--zoom", "F", CLI_POSITIVE, &s.zoom,
         .text = "F times as large"},
        {"--color", "WHAT", CLI_WORD, &s.paint,
         .text = "what colours show. body: colours of stones; speed, size, contacts: by value, with a legend; material", .words = paint_words()},
        {"--forces", NULL, CLI_FLAG, &o->forces,
         .text = "contact forces as lines over paled bodies: width and colour by the force"},
        {"--cut", "AXIS[=PLACE]", CLI_TEXT, &s.cut,
         .text = "leaves out bodies and parts of walls between the eye and a plane across x, y or z: the inside of a heap or a bin. "
         "Without PLACE [m] through the middle"},
        {"--glass", "WHAT", CLI_WORD, &s.glass,
         .text = "what is seen through: walls, bodies or both", .words = glass_words},
        {"--stripes", NULL, CLI_FLAG, &o->stripes,
         .text = "a stripe on each sphere, so that one sees it roll"},
        {"--no-joints", NULL, CLI_FLAG, &o->no_joints,
         .text = "without the red marks of joints: axes of hinges and sliders, dots of balls, lines of distances"},
        {"--plain", NULL, CLI_FLAG, &o->plain,
         .text = "no scale bar, legend and time"},
        {"--speed", "F", CLI_POSITIVE, &s.speed,
         .text = "animations: seconds of the run in a second; default 1"},
        {"--fps", "N", CLI_COUNT, &s.fps,
         .text = "animations: at most this many images in a second; default 25"},
        {"--threads", "N", CLI_COUNT, &s.threads,
         .text = "threads; default: all cores. The pixels do not depend on their number"},
    };
    /* clang-format on */
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
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
