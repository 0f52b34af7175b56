/* animation.c: images in a row as GIF, or as MP4 through ffmpeg (picture.h).
 *
 * GIF: one palette for all frames, by median cut of the colours of some of them together (a ball that has rolled away is in none of the last
 * frames, and what rests at the end has lost the colours of speed); a pixel that has not changed is transparent, which is what makes the file
 * small. LZW as the format has it: codes of 3 to 12 bits, lowest bit first, in blocks of up to 255 bytes. */
#include "cli/draw/picture.h"
#include "cli/system.h"

#include <scree/files.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ACCENTS = 24,
    COLOURS = 255,
    CLEAR_CODE = 256,
    END_CODE = 257,
    CODE_MAX = 4096,
    SIDE =
        64, /* cells along red, green and blue: 4 shades each. With 8, pale ground had two shades and an edge between them. */
    CELLS = SIDE * SIDE * SIDE,
    UNKNOWN = -1,
    HASH = 8192
};

struct animation {
    scree_new_file file;      /* of MP4, what ffmpeg writes to           */
    FILE *out;                /* where images go: the file, or ffmpeg    */
    int width, height, delay; /* delay in hundredths of a second */
    int failed;
    pid_t encoder; /* 0: GIF */
    unsigned char palette[256][3];
    int colours;          /* in the palette                            */
    short near[CELLS];    /* colour of a cell; UNKNOWN: not asked yet  */
    unsigned char *shown; /* (height x width) colours of the frame before; NULL: there is none */
};

/* ---- palette ------------------------------------------------------------------------------------------------------------------- */

typedef struct cell {
    unsigned char c[3]; /* of the cell's place, 0 .. SIDE - 1 */
    int count;
    double sum[3];
} cell;

typedef struct box {
    int from, to; /* cells */
    double weight;
    int widest;
} box;

static int sort_axis;

static int along_axis(const void *a, const void *b)
{
    int x = ((const cell *)a)->c[sort_axis], y = ((const cell *)b)->c[sort_axis];
    return x - y;
}

/// What cutting this box is worth: its pixels times its longest side.
static void weigh(box *b, const cell *cells)
{
    int low[3] = {SIDE, SIDE, SIDE}, high[3] = {0, 0, 0};
    double count = 0.0;
    for (int k = b->from; k < b->to; ++k) {
        for (int i = 0; i < 3; ++i) {
            if (cells[k].c[i] < low[i]) low[i] = cells[k].c[i];
            if (cells[k].c[i] > high[i]) high[i] = cells[k].c[i];
        }
        count += cells[k].count;
    }
    b->widest = 0;
    for (int i = 1; i < 3; ++i)
        if (high[i] - low[i] > high[b->widest] - low[b->widest]) b->widest = i;
    b->weight = b->to - b->from > 1 ? sqrt(count) * (high[b->widest] - low[b->widest]) : 0.0;
}

/// Cuts the box in two at its median; the upper part becomes `*rest`.
static void cut(box *b, box *rest, cell *cells)
{
    double half = 0.0, sum = 0.0;
    sort_axis = b->widest;
    qsort(cells + b->from, (size_t)(b->to - b->from), sizeof *cells, along_axis);
    for (int k = b->from; k < b->to; ++k) half += 0.5 * cells[k].count;
    int at = b->from;
    while (at < b->to - 1 && sum + cells[at].count <= half) sum += cells[at++].count;
    if (at == b->from) at += 1;
    *rest = (box){.from = at, .to = b->to};
    b->to = at;
    weigh(b, cells);
    weigh(rest, cells);
}

static int cell_of(const unsigned char p[3])
{
    return (p[0] / (256 / SIDE) * SIDE + p[1] / (256 / SIDE)) * SIDE + p[2] / (256 / SIDE);
}

/// The cells that have pixels. Returns their number.
static int gather(const image *im, int images, cell *cells)
{
    int count = 0;
    cell *all = cli_memory(CELLS * sizeof *all);
    for (int n = 0; n < images; ++n)
        for (size_t k = 0; k < (size_t)im[n].width * (size_t)im[n].height; ++k) {
            const unsigned char *p = im[n].rgb + 3 * k;
            cell *c = &all[cell_of(p)];
            for (int i = 0; i < 3; ++i) c->c[i] = (unsigned char)(p[i] / (256 / SIDE)), c->sum[i] += p[i];
            c->count += 1;
        }
    for (int k = 0; k < CELLS; ++k)
        if (all[k].count > 0) cells[count++] = all[k];
    free(all);
    return count;
}

static double distance(const unsigned char palette[3], const double c[3])
{
    double d = 0.0;
    for (int j = 0; j < 3; ++j) d += (c[j] - palette[j]) * (c[j] - palette[j]);
    return d;
}

/// The entry of the palette that is nearest to a colour; its distance squared in `*least`, if asked.
static int nearest_entry(const animation *a, const double c[3], double *least)
{
    int best = 0;
    double most_near = HUGE_VAL;
    for (int i = 0; i < a->colours; ++i) {
        double d = distance(a->palette[i], c);
        if (d < most_near) most_near = d, best = i;
    }
    if (least) *least = most_near;
    return best;
}

/// Median cut goes by pixels and lets few of one colour go: a red ball among a thousand stones turns brown. So the last entries go to the
/// cells that are farthest from the palette so far, with some weight for their pixels.
static void add_accents(animation *a, const cell *cells, int count)
{
    static const double SEEN = 8.0; /* nearer than this nobody tells two colours apart [of 255] */
    double *away = cli_memory((size_t)count * sizeof *away), (*mean)[3] = cli_memory((size_t)count * sizeof *mean);
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < 3; ++j) mean[k][j] = cells[k].sum[j] / cells[k].count;
        nearest_entry(a, mean[k], &away[k]);
    }
    for (int end = a->colours + ACCENTS; a->colours < end && a->colours < COLOURS; ++a->colours) {
        double most = 0.0;
        int best = -1;
        for (int k = 0; k < count; ++k) {
            double worth = sqrt(away[k]) * pow(cells[k].count, 0.25);
            if (away[k] > SEEN * SEEN && worth > most) most = worth, best = k;
        }
        if (best < 0) break;
        unsigned char *entry = a->palette[a->colours];
        for (int j = 0; j < 3; ++j) entry[j] = (unsigned char)(mean[best][j] + 0.5);
        for (int k = 0; k < count; ++k) away[k] = fmin(away[k], distance(entry, mean[k]));
    }
    free(away), free(mean);
}

static void make_palette(animation *a, const image *im, int images)
{
    cell *cells = cli_memory(CELLS * sizeof *cells);
    box boxes[COLOURS];
    int count = 1;
    const int cell_count = gather(im, images, cells);
    boxes[0] = (box){.from = 0, .to = cell_count};
    weigh(&boxes[0], cells);
    while (count < COLOURS - ACCENTS) {
        int best = 0;
        for (int k = 1; k < count; ++k)
            if (boxes[k].weight > boxes[best].weight) best = k;
        if (boxes[best].weight <= 0.0) break;
        cut(&boxes[best], &boxes[count], cells);
        count += 1;
    }
    for (int k = 0; k < count; ++k) {
        double sum[3] = {0.0, 0.0, 0.0}, pixels = 0.0;
        for (int i = boxes[k].from; i < boxes[k].to; ++i) {
            for (int j = 0; j < 3; ++j) sum[j] += cells[i].sum[j];
            pixels += cells[i].count;
        }
        for (int j = 0; j < 3 && pixels > 0.0; ++j) a->palette[k][j] = (unsigned char)(sum[j] / pixels + 0.5);
    }
    a->colours = count;
    add_accents(a, cells, cell_count);
    for (int k = 0; k < CELLS; ++k) a->near[k] = UNKNOWN;
    free(cells);
}

/// The entry for a pixel: that of the middle of its cell.
static unsigned char entry_of(animation *a, const unsigned char p[3])
{
    enum { SHADES = 256 / SIDE };
    short *entry = &a->near[cell_of(p)];
    if (*entry == UNKNOWN) {
        double c[3];
        for (int i = 0; i < 3; ++i) c[i] = p[i] - p[i] % SHADES + 0.5 * (SHADES - 1);
        *entry = (short)nearest_entry(a, c, NULL);
    }
    return (unsigned char)*entry;
}

/* ---- LZW ------------------------------------------------------------------------------------------------------------------------ */

typedef struct packer {
    FILE *out;
    unsigned char block[256];
    int used;
    unsigned long bits;
    int bit_count;
} packer;

static void put_byte(packer *p, unsigned byte)
{
    p->block[p->used++] = (unsigned char)byte;
    if (p->used < 255) return;
    fputc(255, p->out);
    fwrite(p->block, 1, 255, p->out);
    p->used = 0;
}

static void put_code(packer *p, int code, int width)
{
    p->bits |= (unsigned long)code << p->bit_count;
    for (p->bit_count += width; p->bit_count >= 8; p->bit_count -= 8, p->bits >>= 8) put_byte(p, p->bits & 255);
}

static void put_rest(packer *p)
{
    if (p->bit_count > 0) put_byte(p, p->bits & 255);
    if (p->used > 0) fputc(p->used, p->out), fwrite(p->block, 1, (size_t)p->used, p->out);
    fputc(0, p->out);
}

static void lzw(FILE *out, const unsigned char *pixel, size_t count)
{
    packer p = {.out = out};
    static int key[HASH], value[HASH]; /* of a string: code of its beginning and last pixel -> its code */
    int next = END_CODE + 1, width = 9, now = pixel[0];
    memset(key, -1, sizeof key);
    fputc(8, out);
    put_code(&p, CLEAR_CODE, width);
    for (size_t k = 1; k < count; ++k) {
        int wanted = now << 8 | pixel[k], at = (int)((unsigned)wanted * 2654435761u >> 19);
        while (key[at] >= 0 && key[at] != wanted) at = (at + 1) % HASH;
        if (key[at] == wanted) {
            now = value[at];
            continue;
        }
        put_code(&p, now, width);
        now = pixel[k];
        if (next < CODE_MAX) {
            key[at] = wanted, value[at] = next;
            if (next == 1 << width && width < 12) ++width;
            ++next;
        } else {
            put_code(&p, CLEAR_CODE, width);
            memset(key, -1, sizeof key);
            next = END_CODE + 1, width = 9;
        }
    }
    put_code(&p, now, width);
    put_code(&p, END_CODE, width);
    put_rest(&p);
}

/* ---- GIF -------------------------------------------------------------------------------------------------------------------------- */

static void put_u16(FILE *out, int x)
{
    fputc(x & 255, out), fputc(x >> 8 & 255, out);
}

static void gif_start(animation *a, const image *some, int images)
{
    make_palette(a, some, images);
    fwrite("GIF89a", 1, 6, a->out);
    put_u16(a->out, a->width), put_u16(a->out, a->height);
    fwrite("\xF7\0\0", 1, 3, a->out); /* a palette of 256 colours */
    fwrite(a->palette, 1, sizeof a->palette, a->out);
    fwrite("\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 1, 19, a->out); /* for ever */
}

static void gif_add(animation *a, const image *im)
{
    size_t pixels = (size_t)a->width * (size_t)a->height;
    unsigned char *now = cli_memory(pixels), *changed = cli_memory(pixels);
    for (size_t k = 0; k < pixels; ++k) {
        const unsigned char *p = im->rgb + 3 * k;
        now[k] = entry_of(a, p);
        changed[k] = a->shown && a->shown[k] == now[k] ? COLOURS : now[k];
    }
    fwrite("\x21\xF9\x04\x05", 1, 4, a->out); /* stays; one colour is transparent */
    put_u16(a->out, a->delay);
    fputc(COLOURS, a->out), fputc(0, a->out);
    fputc(0x2C, a->out);
    put_u16(a->out, 0), put_u16(a->out, 0), put_u16(a->out, a->width), put_u16(a->out, a->height);
    fputc(0, a->out);
    lzw(a->out, changed, pixels);
    free(changed), free(a->shown);
    a->shown = now;
}

/* ---- MP4 -------------------------------------------------------------------------------------------------------------------------- */

/// Starts ffmpeg with its input in our hands. 0: there is none.
static int start_encoder(animation *a, double delay)
{
    char size[32], rate[32], name[SCREE_PATH_MAX + 8];
    int ends[2];
    snprintf(size, sizeof size, "%dx%d", a->width, a->height);
    snprintf(rate, sizeof rate, "%.4f", 1.0 / delay);
    snprintf(name, sizeof name, "%s.tmp", a->file.path);
    if (pipe(ends) != 0) return 0;
    a->encoder = fork();
    if (a->encoder == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]), close(ends[1]);
        execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r",
               rate, "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart", "-f",
               "mp4", name, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN); /* an encoder that ends early is a failed write */
    a->out = a->encoder > 0 ? fdopen(ends[1], "wb") : NULL;
    return a->out != NULL;
}

/* ---- either ------------------------------------------------------------------------------------------------------------------------ */

animation *animation_start(const char *path, double delay, const image *some, int images, scree_error *error)
{
    int video = cli_ends_with(path, ".mp4");
    if (video && !cli_program_exists("ffmpeg")) {
        scree_error_set(error, path, 0, 0,
                        "MP4 needs ffmpeg, which is not installed (Debian: ffmpeg); .gif needs nothing");
        return NULL;
    }
    animation *a = cli_memory(sizeof *a);
    if (scree_file_begin(path, &a->file, error) != SCREE_OK) {
        free(a);
        return NULL;
    }
    a->out = a->file.stream;
    a->width = some->width, a->height = some->height, a->delay = (int)(100.0 * delay + 0.5);
    if (video) a->width &= ~1, a->height &= ~1; /* the colours of MP4 come in pairs */
    if (!video) gif_start(a, some, images);
    if (!video || start_encoder(a, delay)) return a;
    scree_error_set(error, path, 0, 0, "cannot start ffmpeg: %s", strerror(errno));
    scree_file_abandon(&a->file);
    free(a);
    return NULL;
}

void animation_add(animation *a, const image *im)
{
    if (!a->encoder) gif_add(a, im);
    for (int y = 0; y < a->height && a->encoder; ++y)
        if (fwrite(im->rgb + 3 * (size_t)y * (size_t)im->width, 3, (size_t)a->width, a->out) != (size_t)a->width)
            a->failed = 1;
}

/// Waits for ffmpeg; 0: it could not write the video.
static int end_encoder(animation *a)
{
    int state = 0;
    if (ferror(a->out)) a->failed = 1;
    if (fclose(a->out) != 0) a->failed = 1;
    if (waitpid(a->encoder, &state, 0) < 0 || state != 0) a->failed = 1;
    return !a->failed;
}

scree_status animation_end(animation *a, scree_error *error)
{
    scree_status status = SCREE_ERR_WRITE;
    if (!a->encoder) fputc(0x3B, a->out);
    if (!a->encoder || end_encoder(a)) status = scree_file_end(&a->file, error);
    else {
        scree_file_abandon(&a->file);
        scree_error_set(error, a->file.path, 0, 0, "ffmpeg could not write the video");
    }
    free(a->shown), free(a);
    return status;
}
