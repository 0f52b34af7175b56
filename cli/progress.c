/* progress.c: see progress.h. The time left is that of the bodies ahead: seconds for a body and a
 * second simulated, of late, times the bodies that will be there. While a source pours they grow as they did so far, up to those still to come;
 * so the time left does not grow with the pile. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double BAR_SECONDS = 0.2, LINE_SECONDS = 10.0; /* between two updates */
enum { BAR_WIDTH = 20, LINE_MAX_BYTES = 256 };

progress progress_start(double from, double until, double bodies, int quiet)
{
    progress p = {.quiet = quiet, .terminal = isatty(STDERR_FILENO), .from = from, .until = until};
    p.begin = p.last = scree_clock_seconds(), p.time_last = from, p.bodies_first = p.bodies_last = bodies;
    p.next = p.begin + (p.terminal ? 2.0 * BAR_SECONDS : LINE_SECONDS); /* nothing for what is over at once */
    return p;
}

char *progress_duration(double seconds, char *buffer, size_t size)
{
    long s = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000L;
    if (s >= 3600) snprintf(buffer, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else snprintf(buffer, size, "%ld:%02ld", s / 60, s % 60);
    return buffer;
}

static int terminal_width(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

/// Bodies over simulated time from now to the end [s].
static double bodies_ahead(const progress *p, double time, double bodies, double to_pour)
{
    double left = p->until - time, grown = bodies - p->bodies_first,
           rate = time > p->from ? grown / (time - p->from) : 0.0;
    if (!(to_pour > 0.0) || !(rate > 0.0)) return bodies * left;
    double pouring = to_pour / rate < left ? to_pour / rate : left;
    return bodies * left + rate * pouring * (left - 0.5 * pouring);
}

/* What was spent is forgotten with a half-life of some 35 updates, so that the speed is that of late. */
double progress_left(progress *p, double now, double time, double bodies, double to_pour)
{
    static const double KEPT = 0.98;
    if (!(bodies > 0.0)) return -1.0;
    p->spent = KEPT * p->spent + (now - p->last), p->last = now;
    p->done = KEPT * p->done + 0.5 * (bodies + p->bodies_last) * (time - p->time_last);
    p->time_last = time, p->bodies_last = bodies;
    return p->done > 0.0 ? p->spent / p->done * bodies_ahead(p, time, bodies, to_pour) : -1.0;
}

int progress_line(char *line, size_t size, int width, const char *const *part, int parts)
{
    size_t used = 0;
    line[0] = '\0';
    for (int k = 0; k < parts; ++k) {
        size_t more = strlen(part[k]) + (k > 1 ? 2 : k > 0 ? 1 : 0);
        if (used + more >= size || used + more > (size_t)width) return k;
        used += (size_t)snprintf(line + used, size - used, "%s%s", k > 1 ? ", " : k > 0 ? " " : "", part[k]);
    }
    return parts;
}

int progress_is_due(const progress *p)
{
    return !p->quiet && scree_clock_seconds() >= p->next;
}

void progress_step(progress *p, const scree_step_report *r, const scree_run_totals *totals, double to_pour)
{
    double now = scree_clock_seconds();
    p->next = now + (p->terminal ? BAR_SECONDS : LINE_SECONDS);

    enum { PARTS = 9, PART_BYTES = 64 };
    char left[32], line[LINE_MAX_BYTES], bar[BAR_WIDTH + 1], text[PARTS][PART_BYTES];
    const char *part[PARTS];
    double share = p->until > p->from ? (r->time - p->from) / (p->until - p->from) : 1.0;
    double seconds = progress_left(p, now, r->time, r->bodies, to_pour);
    if (share > 1.0) share = 1.0;
    for (int k = 0; k < BAR_WIDTH; ++k) bar[k] = k < (int)(share * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    snprintf(text[0], PART_BYTES, "[%s]", bar);
    snprintf(text[1], PART_BYTES, "t %.4g of %.4g s", r->time, p->until);
    snprintf(text[2], PART_BYTES, "left %s", seconds >= 0.0 ? progress_duration(seconds, left, sizeof left) : "?");
    snprintf(text[3], PART_BYTES, "bodies %d", r->bodies);
    snprintf(text[4], PART_BYTES, "contacts %d", r->contacts);
    snprintf(text[5], PART_BYTES, "residual %.1e", r->solve.residual);
    snprintf(text[6], PART_BYTES, "penetration %.1e m", r->penetration);
    snprintf(text[7], PART_BYTES, "balance %.0e J", totals->energy.balance);
    snprintf(text[8], PART_BYTES, "sweeps %d", r->solve.iterations);
    for (int k = 0; k < PARTS; ++k) part[k] = text[k];
    if (!p->terminal) {
        progress_line(line, sizeof line, LINE_MAX_BYTES, part, PARTS);
        fprintf(stderr, "%s\n", line + BAR_WIDTH + 3); /* without the bar */
        return;
    }
    progress_line(line, sizeof line, terminal_width() - 1, part, PARTS);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    p->shown = 1;
}

void progress_clear(progress *p)
{
    if (p->shown) fprintf(stderr, "\r\033[K");
    p->shown = 0;
}
