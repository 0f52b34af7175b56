/* meter.h: what the benchmarks of whole beds share: memory that is counted, numbers of grains, a run that failed. */
#ifndef SCREE_BENCH_METER_H
#define SCREE_BENCH_METER_H

#include "cli/cli.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct meter {
    size_t now, most;
} meter;

enum { METER_HEADER = 64 }; /* keeps the alignment of what follows */

static inline void *meter_alloc(size_t size, size_t alignment, void *context)
{
    meter *m = context;
    scree_allocator a = scree_allocator_default();
    (void)alignment;
    if (size > SIZE_MAX - METER_HEADER) return NULL;
    unsigned char *memory = a.alloc(size + METER_HEADER, METER_HEADER, a.context);
    if (!memory) return NULL;
    memcpy(memory, &size, sizeof size);
    m->now += size;
    if (m->now > m->most) m->most = m->now;
    return memory + METER_HEADER;
}

static inline void meter_free(void *memory, void *context)
{
    meter *m = context;
    scree_allocator a = scree_allocator_default();
    size_t size;
    if (!memory) return;
    memcpy(&size, (unsigned char *)memory - METER_HEADER, sizeof size);
    m->now -= size;
    a.free((unsigned char *)memory - METER_HEADER, a.context);
}

static inline scree_allocator meter_allocator(meter *m)
{
    return (scree_allocator){meter_alloc, meter_free, m};
}

enum { SIZES_MAX = 64 }; /* numbers of grains in one command */

/// Numbers of grains from the command line, all before the first is measured: CLI_GO_ON, or CLI_USAGE after saying what is wrong.
static inline int grains_read_all(const char *command, char *const *texts, int count, int grains[SIZES_MAX])
{
    if (count > SIZES_MAX) return cli_usage(command, "%d sizes given, expected at most %d", count, SIZES_MAX);
    for (int k = 0; k < count; ++k) {
        char *end;
        long n = strtol(texts[k], &end, 10);
        if (end == texts[k] || *end || n < 1 || n > 500000000)
            return cli_usage(command, "GRAINS is '%s', expected a whole number from 1 to 500000000", texts[k]);
        grains[k] = (int)n;
    }
    return CLI_GO_ON;
}

/// Prints why a measurement failed; returns the exit status.
static inline int meter_failed(scree_status status, scree_error *error)
{
    if (!error->text[0]) scree_error_set(error, NULL, 0, 0, "%s", scree_status_name(status));
    cli_print_error(error, NULL, 0);
    return cli_exit_of(status);
}

#endif
