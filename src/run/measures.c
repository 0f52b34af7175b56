/* measures.c: the table of measures, and what is common to them (measures.h). */
#include "run/measures.h"

#include "base/fail.h"
#include "base/memory.h"
#include "world/world_private.h"

#include <stdio.h>
#include <string.h>

static const measure_kind *const kinds[] = {&measure_flow, &measure_inside, &measure_profile,
                                            &measure_heap, &measure_force,  &measure_cell};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- making ------------------------------------------------------------------------------------------------------------------ */

/// The kind that the scene gives: its object is there.
static const measure_kind *kind_of(const scene_measure *def)
{
    int k = 0;
    while (k < KINDS - 1 && !((const scene_head *)((const char *)def + kinds[k]->offset))->node) ++k;
    return kinds[k];
}

static int column_count(const measure_kind *kind, const scene_measure *def)
{
    int count = 0;
    if (kind->columns) return kind->columns(def);
    while (count < MEASURE_COLUMNS_MAX && kind->column[count].name) ++count;
    return count;
}

static scree_status make_items(scree_measures *m, const scene_list *from)
{
    const scene_measure *def = from->item;
    m->item = memory_array(&m->allocator, (size_t)from->count, sizeof *m->item);
    if (!m->item) return SCREE_ERR_MEMORY;
    for (int k = 0; k < from->count; ++k) {
        measure *it = &m->item[k];
        *it = (measure){.kind = kind_of(&def[k]), .def = &def[k]};
        m->count = k + 1;
        it->columns = column_count(it->kind, it->def);
        m->columns += it->columns;
        m->watches |= it->kind->moved != NULL;
        if (it->kind->rows) snprintf(it->file, sizeof it->file, PROFILE_START "%s" PROFILE_END, def[k].name.text);
        if (!it->kind->room) continue;
        it->bin = memory_array(&m->allocator, it->kind->room(it->def), sizeof *it->bin);
        if (!it->bin) return SCREE_ERR_MEMORY;
    }
    return SCREE_OK;
}

/// Names, units and values of all columns, one after the other.
static scree_status make_columns(scree_measures *m)
{
    size_t n = (size_t)m->columns + 1;
    m->name = memory_array(&m->allocator, n, sizeof *m->name);
    m->unit = memory_array(&m->allocator, n, sizeof *m->unit);
    m->value = memory_array(&m->allocator, n, sizeof *m->value);
    if (!m->name || !m->unit || !m->value) return SCREE_ERR_MEMORY;
    for (int k = 0, at = 0; k < m->count; ++k)
        for (int c = 0; c < m->item[k].columns; ++c, ++at) {
            const measure *it = &m->item[k];
            snprintf(m->name[at], sizeof m->name[at], "%s.%s", it->def->name.text, it->kind->column[c].name);
            m->unit[at] = it->kind->column[c].unit, m->value[at] = &it->value[c];
        }
    return SCREE_OK;
}

scree_status measures_create(const scree_scene *scene, const scree_world *world, const scree_allocator *allocator,
                             scree_measures **measures)
{
    const scene_list *from = &scene->root.measures;
    *measures = NULL;
    if (from->count == 0) return SCREE_OK;
    scree_measures *m = memory_array(allocator, 1, sizeof *m);
    if (!m) return SCREE_ERR_MEMORY;
    m->allocator = *allocator;
    scree_status status = make_items(m, from);
    if (status == SCREE_OK) status = make_columns(m);
    if (status == SCREE_OK) status = measures_watch(m, world); /* where the bodies begin */
    if (status == SCREE_OK) *measures = m;
    else measures_destroy(m);
    return status;
}

void measures_destroy(scree_measures *m)
{
    if (!m) return;
    scree_allocator a = m->allocator;
    for (int k = 0; k < m->count; ++k) memory_free(&a, m->item[k].bin);
    MEMORY_FREE_ALL(&a, m->item, m->name, m->unit, m->value, m->before, m);
}

/* ---- bodies on their way ------------------------------------------------------------------------------------------------------- */

scree_status measures_reserve(scree_measures *m, int bodies)
{
    if (bodies <= m->capacity) return SCREE_OK;
    int capacity = bodies + bodies / 2 + 16;
    double(*room)[3] = memory_array(&m->allocator, (size_t)capacity, sizeof *room);
    if (!room) return SCREE_ERR_MEMORY;
    if (m->watched > 0) memcpy(room, m->before, (size_t)m->watched * sizeof *room);
    memory_free(&m->allocator, m->before);
    m->before = room, m->capacity = capacity;
    return SCREE_OK;
}

static void show_body(scree_measures *m, const scree_world *world, int body, const double to[3])
{
    double path[3];
    for (int i = 0; i < 3; ++i) path[i] = to[i] - m->before[body][i];
    nearest_image(&world->options, path);
    for (int k = 0; k < m->count; ++k)
        if (m->item[k].kind->moved)
            m->item[k].kind->moved(&m->item[k], scree_world_mass(world, scree_body_at(body)), m->before[body], path,
                                   to);
}

scree_status measures_watch(scree_measures *m, const scree_world *world)
{
    if (!m->watches) return SCREE_OK;
    const int bodies = scree_world_body_count(world);
    scree_status status = measures_reserve(m, bodies);
    if (status == SCREE_OK) status = world_sync(world, PART_MOTION);
    if (status != SCREE_OK) return status;
    const double *x = scree_world_positions(world);
    for (int b = 0; b < bodies; ++b) { /* a body that was added since begins where it is */
        if (b < m->watched && scree_world_body_kind(world, scree_body_at(b)) == SCREE_BODY_DYNAMIC)
            show_body(m, world, b, x + 3 * (size_t)b);
        memcpy(m->before[b], x + 3 * (size_t)b, sizeof m->before[b]);
    }
    m->watched = bodies;
    return SCREE_OK;
}

/* ---- taking -------------------------------------------------------------------------------------------------------------------- */

scree_status scree_measures_take(scree_measures *m, const scree_world *world, double h, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (!m) return SCREE_OK;
    scree_status status = world_sync(world, PART_ALL);
    const measure_view now = {.world = world, .frame = scree_frame_of_world(world, h), .allocator = &m->allocator};
    for (int k = 0; k < m->count && status == SCREE_OK; ++k) status = m->item[k].kind->take(&m->item[k], &now);
    if (status != SCREE_OK) scree_error_set(error, NULL, 0, 0, "out of memory while measuring");
    return error_keep(error, status);
}

int scree_measures_count(const scree_measures *m)
{
    return m ? m->columns : 0;
}

const char *scree_measures_name(const scree_measures *m, int index)
{
    return m && index >= 0 && index < m->columns ? m->name[index] : NULL;
}

const char *scree_measures_unit(const scree_measures *m, int index)
{
    return m && index >= 0 && index < m->columns ? m->unit[index] : NULL;
}

const char *scree_measures_file(const scree_measures *m, int index)
{
    for (int k = 0; m && k < m->count; ++k)
        if (m->item[k].kind->rows && index-- == 0) return m->item[k].file;
    return NULL;
}

const char *scree_measures_unit_of(const char *column)
{
    const char *dot = strrchr(column, '.');
    for (int k = 0; k < KINDS; ++k)
        for (int c = 0; c < MEASURE_COLUMNS_MAX && kinds[k]->column[c].name; ++c)
            if (strcmp(kinds[k]->column[c].name, dot ? dot + 1 : column) == 0) return kinds[k]->column[c].unit;
    return NULL;
}

double scree_measures_value(const scree_measures *m, int index)
{
    SCREE_ASSERT(m && index >= 0 && index < m->columns);
    return *m->value[index];
}

/* ---- regions ------------------------------------------------------------------------------------------------------------------- */

/// Half open, so that boxes side by side share no body; a flat one has the points in it.
static int between(double x, double low, double high)
{
    return x >= low && (x < high || (low == high && x == high));
}

int measure_within(const scene_region *r, const double x[3], int skip)
{
    if (!r->head.node) return 1;
    if (r->box.head.node) {
        for (int k = 0; k < 3; ++k)
            if (k != skip && !between(x[k], r->box.min[k], r->box.max[k])) return 0;
        return 1;
    }
    const scene_region_round *round = r->disk.head.node ? &r->disk : r->cylinder.head.node ? &r->cylinder : &r->ball;
    double square = 0.0;
    for (int k = 0; k < (round == &r->ball ? 3 : 2); ++k)
        if (k != skip) square += (x[k] - round->center[k]) * (x[k] - round->center[k]);
    if (!(square <= round->radius * round->radius)) return 0;
    return round != &r->cylinder || skip == 2 || between(x[2], round->center[2], round->center[2] + round->height);
}
