/* progress.c: see progress.h. The time left is that of the simulated time ahead at the mean speed so far. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double BAR_SECONDS = 0.2, LINE_SECONDS = 10.0; /* between two updates */
enum { BAR_WIDTH = 20, LINE_MAX_BYTES = 256 };

progress progress_start(double from, double until, int quiet)
{
    progress p = {.quiet = quiet, .terminal = isatty(STDERR_FILENO), .from = from, .until = until};
    p.begin = scree_clock_seconds();
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

void progress_step(progress *p, const scree_step_report *r, const scree_run_totals *totals)
{
    if (p->quiet) return;
    double now = scree_clock_seconds();
    if (now < p->next) return;
    p->next = now + (p->terminal ? BAR_SECONDS : LINE_SECONDS);

    char left[32], line[LINE_MAX_BYTES], bar[BAR_WIDTH + 1];
    double part = p->until > p->from ? (r->time - p->from) / (p->until - p->from) : 1.0;
    if (part > 1.0) part = 1.0;
    progress_duration(part > 0.0 ? (now - p->begin) * (1.0 - part) / part : 0.0, left, sizeof left);
    for (int k = 0; k < BAR_WIDTH; ++k) bar[k] = k < (int)(part * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    snprintf(
        line, sizeof line,
        "[%s] t %.4g of %.4g s, left %s, bodies %d, contacts %d, residual %.1e, penetration %.1e m, balance %.0e J, "
        "sweeps %d",
        bar, r->time, p->until, left, r->bodies, r->contacts, r->solve.residual, r->penetration, totals->energy.balance,
        r->solve.iterations);
    if (!p->terminal) {
        fprintf(stderr, "%s\n", line + BAR_WIDTH + 3); /* without the bar */
        return;
    }
    int width = terminal_width();
    if (strlen(line) >= (size_t)width) line[width - 1] = '\0';
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    p->shown = 1;
}

void progress_clear(progress *p)
{
    if (p->shown) fprintf(stderr, "\r\033[K");
    p->shown = 0;
}
