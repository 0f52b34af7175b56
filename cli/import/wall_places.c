/* wall_places.c: a file of fix ave/time, mode vector (wall_places.h).
 *
 *     # comments
 *     step rows
 *     row x y z          row 1, 2, .. of each step
 *
 * A last step that is not whole is passed over, as in a dump. */
#include "cli/import/wall_places.h"
#include "cli/import/atoms.h"
#include "cli/run_folder.h"
#include "cli/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void find_walls(wall_places *p, const scree_world *w)
{
    const int shapes = scree_world_shape_count(w);
    p->body = cli_memory(((size_t)shapes + 1) * sizeof *p->body);
    for (int k = 0; k < shapes; ++k) {
        const scree_body_id body = scree_world_shape_body(w, scree_shape_at(k));
        const scree_body_kind kind = scree_world_body_kind(w, body);
        const int plane = scree_world_shape(w, scree_shape_at(k))->kind == SCREE_SHAPE_PLANE;
        if (kind != SCREE_BODY_DRIVEN && (kind != SCREE_BODY_FIXED || plane)) continue;
        if (p->walls == 0 || p->body[p->walls - 1] != scree_body_index(body))
            p->body[p->walls++] = scree_body_index(body);
    }
}

/// Room for one step more.
static double (*new_step(wall_places *p, int64_t step))[3]
{
    if (p->count == p->capacity) {
        p->capacity = 2 * p->capacity + 64;
        p->entry = cli_more_memory(p->entry, (size_t)p->capacity * sizeof *p->entry);
        p->x = cli_more_memory(p->x, (size_t)p->capacity * (size_t)p->walls * sizeof *p->x);
    }
    p->entry[p->count] = (wall_places_entry){step, p->count * p->walls};
    return p->x + (size_t)p->count * (size_t)p->walls;
}

static scree_status read_row(const atoms *a, int row, double x[3], scree_error *error)
{
    char *word[ATOM_WORDS];
    int64_t number;
    const int words = atoms_cut(a->text, word);
    if (words != 4) return atoms_wrong(a, error, "%d values, expected the number of a wall and its place", words);
    scree_status status = atoms_whole(a, word[0], "the wall", row + 1, row + 1, &number, error);
    for (int i = 0; i < 3 && status == SCREE_OK; ++i) status = atoms_number(a, word[1 + i], "the place", &x[i], error);
    return status;
}

static scree_status read_steps(wall_places *p, atoms *a, scree_error *error)
{
    while (atoms_line(a)) {
        char *word[ATOM_WORDS];
        int64_t step, rows;
        if (a->text[0] == '#') continue;
        if (atoms_cut(a->text, word) != 2)
            return a->ended ? SCREE_OK : atoms_wrong(a, error, "expected a step and the number of walls");
        scree_status status = atoms_whole(a, word[0], "the step", 0, INT64_MAX, &step, error);
        if (status == SCREE_OK)
            status = atoms_whole(a, word[1], "the number of walls", p->walls, p->walls, &rows, error);
        if (status != SCREE_OK) return status;
        double(*x)[3] = new_step(p, step);
        for (int k = 0; k < p->walls; ++k) {
            if (!atoms_line(a) || a->ended) return atoms_ended(a, error);
            status = read_row(a, k, x[k], error);
            if (status != SCREE_OK) return status;
        }
        p->count += 1;
    }
    return atoms_ended(a, error);
}

scree_status wall_places_read(wall_places *p, const scree_world *world, const char *dump, scree_error *error)
{
    static const char *const names[] = {"walls.txt", "walls.again.txt"};
    const char *slash = strrchr(dump, '/');
    scree_status status = SCREE_OK;
    find_walls(p, world);
    for (int k = 0; k < 2 && p->walls > 0 && status == SCREE_OK; ++k) {
        char path[RUN_PATH_MAX];
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - dump + 1) : 0, dump, names[k]);
        atoms file = {.path = path, .in = fopen(path, "r")};
        if (!file.in && errno == ENOENT) continue;
        if (file.in) status = read_steps(p, &file, error);
        else {
            scree_error_set(error, path, 0, 0, "cannot open the file: %s", strerror(errno));
            status = error->status = SCREE_ERR_FILE;
        }
        atoms_close(&file);
    }
    return status;
}

void wall_places_free(wall_places *p)
{
    free(p->body), free(p->entry), free(p->x);
    *p = (wall_places){.walls = 0};
}

void wall_places_set(const wall_places *p, scree_world *world, int64_t step)
{
    int at = p->count - 1;
    while (at >= 0 && p->entry[at].step != step) --at;
    for (int k = 0; k < p->walls && at >= 0; ++k) {
        const scree_body_id body = scree_body_at(p->body[k]);
        if (scree_world_body_kind(world, body) != SCREE_BODY_DRIVEN) continue;
        scree_world_set_state(world, body, p->x[p->entry[at].first + k], NULL, NULL, NULL);
    }
}
