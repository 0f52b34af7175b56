/* watch.h: `scree run --watch`: a page on this machine that shows a run while it goes on. */
#ifndef SCREE_CLI_LIVE_WATCH_H
#define SCREE_CLI_LIVE_WATCH_H

#include <scree/run.h>

typedef struct watch watch;

/// Where to listen: address[:port], an IPv4 address in numbers. NULL: 127.0.0.1; port 0, or none: any that is free.
typedef struct watch_place {
    char address[16];
    int port;
} watch_place;

/// 1: `text` is such a place; NULL is the usual one.
int watch_place_read(const char *text, watch_place *place);

/// Listens there and prints the address. `until`: the end of the run [s]; 0: that of the scene. NULL, with a message: it cannot, or this build
/// has no libmicrohttpd.
watch *watch_start(const scree_scene *scene, const char *folder, double until, const watch_place *place);

/// Between two batches of steps: hands out what viewers have asked for, waits while they have paused the run. 0: the run is to stop.
int watch_look(watch *w, scree_run *run, scree_run_event event);

/// The run has ended: viewers are told, and the server stops. NULL is a no-op.
void watch_end(watch *w, const scree_run_report *end);

#endif
