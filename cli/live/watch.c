/* watch.c: see watch.h. The server is libmicrohttpd's, a thread per viewer.
 *
 *     GET  /                 the page (report/watch.js)          GET  /about, /rows, /stage    JSON, JSON, a message
 *     GET  /frame?after=N    the newest frame after N, waiting for it for a second at most
 *     POST /control?action=pause | resume | stop
 *
 * Every request carries the token of the address that was printed; without it the answer is 403. The run writes one frame, the newest, and
 * only when somebody has asked since the last one, at most PER_SECOND times a second; viewers copy it in their own threads. So a slow viewer
 * misses frames, and one that hangs holds up its own thread alone. Nothing is written into the world: the run's hash stays what it is. */
#include "cli/live/watch.h"

#include "cli/cli.h"
#include "cli/system.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int watch_place_read(const char *text, watch_place *place)
{
    struct in_addr parsed;
    char *end = NULL;
    *place = (watch_place){.address = "127.0.0.1"};
    if (!text) return 1;
    const size_t length = strcspn(text, ":");
    if (length >= sizeof place->address) return 0;
    snprintf(place->address, sizeof place->address, "%.*s", (int)length, text);
    if (inet_pton(AF_INET, place->address, &parsed) != 1) return 0;
    if (text[length] == '\0') return 1;
    const long port = strtol(text + length + 1, &end, 10);
    place->port = (int)port;
    return text[length + 1] >= '0' && text[length + 1] <= '9' && *end == '\0' && port <= 65535;
}

#if defined(SCREE_HAVE_MICROHTTPD)
#include "cli/live/live_message.h"
#include "cli/live/live_page.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { PER_SECOND = 20, ROWS_MAX = 2000, VIEWERS_MAX = 32, SILENCE = 20 /* s, until a viewer that hangs is dropped */ };
#define ROW_SECONDS    0.5 /* between rows for somebody who looks; at frames of the output there is one anyway */
#define PRESENT        3.0 /* s since the last request: somebody looks */
#define LINGER_SECONDS 3.0 /* for the last frame to be fetched, by a page that still draws the one before */

typedef struct block {
    unsigned char *bytes;
    size_t size;
} block;

struct watch {
    struct MHD_Daemon *daemon;
    char token[33];
    block page, about, stage, frame;
    live_message message;
    char *row[ROWS_MAX];
    int row_count;
    pthread_mutex_t lock;
    pthread_cond_t news;
    int64_t number;       /* of the frame */
    int shapes;           /* of the stage */
    int wanted, contacts; /* somebody waits for a frame; and draws contacts */
    int paused, stop, ended, viewers;
    double asked, made, rowed, begun; /* clock: last request, frame, row; start */
    uint64_t hash;
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Waits for news, at most so long; the lock is held.
static void wait_news(watch *w, double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += (long)(1e9 * (seconds - (double)(long)seconds)), t.tv_sec += (long)seconds;
    if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, ++t.tv_sec;
    pthread_cond_timedwait(&w->news, &w->lock, &t);
}

static void take_block(block *to, const void *bytes, size_t size)
{
    to->bytes = cli_more_memory(to->bytes, size + 1);
    memcpy(to->bytes, bytes, size);
    to->size = size;
}

/* ---- answers (threads of the server) ----------------------------------------------------------------------------------------- */

static const char *argument(struct MHD_Connection *c, const char *name)
{
    const char *value = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
    return value ? value : "";
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type, const void *bytes,
                              size_t size, const char *state)
{
    /* Takes const away: the bytes are copied. NOLINTNEXTLINE(performance-no-int-to-ptr) */
    struct MHD_Response *r = MHD_create_response_from_buffer(size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    if (!r) return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    if (state) MHD_add_response_header(r, "X-Scree", state);
    enum MHD_Result result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

/// What the run is doing, for the header of a frame; the lock is held.
static void write_state(const watch *w, char *text, size_t size)
{
    char hash[32] = "";
    if (w->ended) snprintf(hash, sizeof hash, "%016" PRIx64, w->hash);
    snprintf(text, size,
             "{\"frame\": %" PRId64 ", \"phase\": \"%s\", \"wall\": %.1f, \"viewers\": %d, \"hash\": \"%s\"}",
             w->number,
             w->ended    ? "ended"
             : w->paused ? "paused"
                         : "running",
             now_seconds() - w->begun, w->viewers, hash);
}

static enum MHD_Result answer_frame(watch *w, struct MHD_Connection *c)
{
    const int64_t after = strtoll(argument(c, "after"), NULL, 10);
    const double until = now_seconds() + 1.0;
    char state[256];
    pthread_mutex_lock(&w->lock);
    w->contacts = strcmp(argument(c, "contacts"), "1") == 0 ? 2 : w->contacts;
    w->wanted = 1, ++w->viewers;
    while (w->number <= after && !w->ended && now_seconds() < until) {
        w->wanted = 1;
        wait_news(w, 0.1);
    }
    write_state(w, state, sizeof state);
    --w->viewers;
    block copy = {.bytes = NULL};
    take_block(&copy, w->frame.bytes, w->number > after ? w->frame.size : 0);
    pthread_mutex_unlock(&w->lock);
    enum MHD_Result result = answer(c, MHD_HTTP_OK, "application/octet-stream", copy.bytes, copy.size, state);
    free(copy.bytes);
    return result;
}

/// The rows so far as a JSON list; the lock is held.
static void join_rows(const watch *w, block *out)
{
    size_t size = 0;
    char *text;
    FILE *f = cli_text_open(&text, &size);
    fputs("[", f);
    for (int k = 0; k < w->row_count; ++k) fprintf(f, "%s%s", k ? "," : "", w->row[k]);
    fputs("]", f);
    cli_text_close(f, &text);
    *out = (block){(unsigned char *)text, size};
}

static enum MHD_Result answer_control(watch *w, struct MHD_Connection *c)
{
    const char *action = argument(c, "action");
    pthread_mutex_lock(&w->lock);
    if (strcmp(action, "pause") == 0) w->paused = 1;
    if (strcmp(action, "resume") == 0) w->paused = 0;
    if (strcmp(action, "stop") == 0) w->stop = 1;
    pthread_cond_broadcast(&w->news);
    pthread_mutex_unlock(&w->lock);
    return answer(c, MHD_HTTP_OK, "text/plain", "ok\n", 3, NULL);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *c, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    watch *w = context;
    enum MHD_Result result;
    (void)version, (void)upload;
    if (!*state) { /* the head has been read; what follows belongs to it */
        *state = w;
        return MHD_YES;
    }
    *upload_size = 0;
    if (strcmp(argument(c, "token"), w->token) != 0)
        return answer(c, MHD_HTTP_FORBIDDEN, "text/plain", "the token is missing\n", 21, NULL);
    if (strcmp(url, "/control") == 0 && strcmp(method, "POST") == 0) return answer_control(w, c);
    if (strcmp(method, "GET") != 0) return answer(c, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "GET only\n", 9, NULL);
    if (strcmp(url, "/frame") == 0) {
        pthread_mutex_lock(&w->lock);
        w->asked = now_seconds();
        pthread_mutex_unlock(&w->lock);
        return answer_frame(w, c);
    }
    block copy = {.bytes = NULL};
    pthread_mutex_lock(&w->lock);
    w->asked = now_seconds(), w->wanted = 1;
    if (strcmp(url, "/rows") == 0) join_rows(w, &copy);
    else {
        const block *from = strcmp(url, "/") == 0 ? &w->page : strcmp(url, "/about") == 0 ? &w->about : &w->stage;
        take_block(&copy, from->bytes, from->size);
    }
    pthread_mutex_unlock(&w->lock);
    result = answer(c, MHD_HTTP_OK,
                    strcmp(url, "/") == 0        ? "text/html; charset=utf-8"
                    : strcmp(url, "/stage") == 0 ? "application/octet-stream"
                                                 : "application/json",
                    copy.bytes, copy.size, NULL);
    free(copy.bytes);
    return result;
}

/* ---- the run --------------------------------------------------------------------------------------------------------------------- */

static void make_page(watch *w)
{
    live_page page;
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    live_page_begin(&page, "watch");
    live_page_print(&page, out);
    live_page_end(&page);
    cli_text_close(out, &text);
    w->page = (block){(unsigned char *)text, size};
}

static void make_about(watch *w, const scree_scene *scene, const char *folder, double until)
{
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    scree_json j = scree_json_start(out);
    const scree_run_plan plan = scree_scene_plan(scene);
    const scree_stepper_options stepper = scree_scene_stepper(scene);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "title", plan.title);
    scree_json_text(&j, "folder", folder);
    scree_json_number(&j, "until", until > 0.0 ? until : plan.until);
    scree_json_number(&j, "step", stepper.step);
    scree_json_text(&j, "scheme", scree_scheme_name(stepper.scheme));
    scree_json_text(&j, "version", scree_version());
    scree_json_text(&j, "scene", scree_scene_text(scene));
    scree_json_close(&j);
    cli_text_close(out, &text);
    w->about = (block){(unsigned char *)text, size};
}

static int make_token(char token[33])
{
    unsigned char bytes[16];
    FILE *f = fopen("/dev/urandom", "rb");
    const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    for (size_t k = 0; k < n; ++k) snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return n == sizeof bytes;
}

watch *watch_start(const scree_scene *scene, const char *folder, double until, const watch_place *place)
{
    watch *w = cli_memory(sizeof *w);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)place->port)};
    inet_pton(AF_INET, place->address, &here.sin_addr);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->news, NULL);
    w->begun = now_seconds(), w->shapes = -1;
    make_page(w);
    make_about(w, scene, folder, until);
    if (make_token(w->token))
        w->daemon =
            MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, on_request,
                             w, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&here, MHD_OPTION_CONNECTION_LIMIT,
                             (unsigned)VIEWERS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE, MHD_OPTION_END);
    const union MHD_DaemonInfo *info = w->daemon ? MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        fprintf(stderr, "scree run: error: --watch: %s of %s cannot be listened on\n",
                place->port ? "this port" : "no port", place->address);
        watch_end(w, NULL);
        return NULL;
    }
    fprintf(stderr, "watch: http://%s:%d/?token=%s\n", place->address, (int)info->port, w->token);
    return w;
}

static void add_row(watch *w, scree_run *run, const scree_step_report *last, double clock)
{
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    scree_json j = scree_json_start(out);
    live_row_write(&j, NULL, scree_run_simulation(run), last);
    cli_text_close(out, &text);
    pthread_mutex_lock(&w->lock);
    if (w->row_count == ROWS_MAX) { /* every second one stays */
        for (int k = 0; k < ROWS_MAX; ++k)
            if (k % 2) free(w->row[k]);
            else w->row[k / 2] = w->row[k];
        w->row_count = ROWS_MAX / 2;
    }
    w->row[w->row_count++] = text, w->rowed = clock;
    pthread_mutex_unlock(&w->lock);
}

static void make_frame(watch *w, scree_run *run, const scree_step_report *last, double clock)
{
    scree_simulation *simulation = scree_run_simulation(run);
    const scree_world *world = scree_simulation_world(simulation);
    const int shapes = scree_world_shape_count(world);
    if (shapes != w->shapes) {
        live_stage_pack(&w->message, world);
        pthread_mutex_lock(&w->lock);
        take_block(&w->stage, w->message.bytes, w->message.size);
        pthread_mutex_unlock(&w->lock);
        w->shapes = shapes;
    }
    live_frame_pack(&w->message, simulation, last, LIVE_ROW | (w->contacts ? LIVE_CONTACTS : 0));
    pthread_mutex_lock(&w->lock);
    take_block(&w->frame, w->message.bytes, w->message.size);
    w->number += 1, w->wanted = 0, w->made = clock;
    if (w->contacts > 0) --w->contacts; /* asked for again with each frame that shows them */
    pthread_cond_broadcast(&w->news);
    pthread_mutex_unlock(&w->lock);
}

/// While the run is paused: the frame at which it waits, and once more when somebody begins to draw contacts.
static void hold(watch *w, scree_run *run, const scree_step_report *last)
{
    for (int shown = -1;;) {
        pthread_mutex_lock(&w->lock);
        const int held = w->paused && !w->stop && !cli_signal(), contacts = w->contacts > 0;
        if (held && contacts <= shown) wait_news(w, 0.2);
        pthread_mutex_unlock(&w->lock);
        if (!held) return;
        if (contacts > shown) make_frame(w, run, last, now_seconds()), shown = contacts;
    }
}

int watch_look(watch *w, scree_run *run, scree_run_event event)
{
    const scree_run_report now = scree_run_look(run);
    const double clock = now_seconds();
    pthread_mutex_lock(&w->lock);
    const int looked = clock - w->asked < PRESENT && w->asked > 0.0;
    const int frame = w->number == 0 || (looked && event == SCREE_RUN_EVENT_FRAME) ||
                      (w->wanted && clock - w->made > 1.0 / PER_SECOND);
    pthread_mutex_unlock(&w->lock);
    if (event == SCREE_RUN_EVENT_FRAME || (looked && clock - w->rowed > ROW_SECONDS)) add_row(w, run, &now.last, clock);
    if (frame) make_frame(w, run, &now.last, clock);
    pthread_mutex_lock(&w->lock);
    const int paused = w->paused;
    pthread_mutex_unlock(&w->lock);
    if (paused) hold(w, run, &now.last);
    pthread_mutex_lock(&w->lock);
    const int stop = w->stop;
    pthread_mutex_unlock(&w->lock);
    if (stop) cli_set_signal(SIGINT); /* as by Ctrl-C: with a checkpoint */
    return !stop;
}

void watch_end(watch *w, const scree_run_report *end)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->ended = 1, w->hash = end ? end->hash : 0;
    pthread_cond_broadcast(&w->news);
    for (double until = now_seconds() + LINGER_SECONDS;
         w->asked > 0.0 && now_seconds() - w->asked < PRESENT && now_seconds() < until;)
        wait_news(w, 0.1);
    pthread_mutex_unlock(&w->lock);
    if (w->daemon) MHD_stop_daemon(w->daemon);
    for (int k = 0; k < w->row_count; ++k) free(w->row[k]);
    free(w->page.bytes), free(w->about.bytes), free(w->stage.bytes), free(w->frame.bytes);
    live_message_free(&w->message);
    pthread_cond_destroy(&w->news);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

#else

watch *watch_start(const scree_scene *scene, const char *folder, double until, const watch_place *place)
{
    (void)scene, (void)folder, (void)until, (void)place;
    fprintf(stderr, "scree run: error: --watch: this build has no HTTP server. Debian: apt-get install "
                    "libmicrohttpd-dev, and build again\n");
    return NULL;
}

int watch_look(watch *w, scree_run *run, scree_run_event event)
{
    (void)w, (void)run, (void)event;
    return 1;
}

void watch_end(watch *w, const scree_run_report *end)
{
    (void)w, (void)end;
}

#endif
