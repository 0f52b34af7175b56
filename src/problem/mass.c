/* mass.c: M = L L' of a general mass matrix; see mass.h. Flexible bodies, implicit schemes (M + h C + h^2 K), joints put into M.
 *
 * A product W x = H' M^-1 H x costs two passes over H and two over L. */
#include "problem/mass.h"

#include "base/lock.h"
#include "sparse/direct.h"

#include <string.h>

struct mass_turn {
    lock lock;
};

void mass_destroy(scree_mass *mass, const scree_allocator *a)
{
    if (!mass) return;
    direct_destroy(mass->factor);
    if (mass->turn) lock_destroy(&mass->turn->lock);
    MEMORY_FREE_ALL(a, mass->start, mass->column, mass->value, mass->turn, mass);
}

/// The factor. The lower triangle by columns, which it wants, is the upper one by rows.
static scree_status factorise(scree_mass *mass, const scree_allocator *a)
{
    int *start = memory_array(a, (size_t)mass->n + 1, sizeof *start), count = 0;
    int *row = memory_array(a, (size_t)mass->start[mass->n] + 1, sizeof *row);
    double *value = memory_array(a, (size_t)mass->start[mass->n] + 1, sizeof *value);
    scree_status status = start && row && value ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int i = 0; status == SCREE_OK && i < mass->n; ++i) {
        for (int e = mass->start[i]; e < mass->start[i + 1]; ++e)
            if (mass->column[e] >= i) row[count] = mass->column[e], value[count++] = mass->value[e];
        start[i + 1] = count;
    }
    if (status == SCREE_OK) status = direct_create(DIRECT_DEFINITE, mass->n, start, row, a, &mass->factor);
    if (status == SCREE_OK && !direct_factor(mass->factor, value)) status = SCREE_ERR_INPUT;
    MEMORY_FREE_ALL(a, start, row, value);
    return status;
}

scree_status mass_create(int n, const int *start, const int *column, const double *value, const scree_allocator *a,
                         scree_mass **out)
{
    size_t entries = (size_t)start[n];
    scree_mass *mass = memory_array(a, 1, sizeof *mass);
    scree_status status = SCREE_ERR_MEMORY;
    *out = NULL;
    if (!mass) return status;
    mass->n = n;
    mass->turn = memory_array(a, 1, sizeof *mass->turn);
    if (mass->turn && !lock_create(&mass->turn->lock)) {
        memory_free(a, mass->turn);
        mass->turn = NULL;
    }
    mass->start = memory_array(a, (size_t)n + 1, sizeof *mass->start);
    mass->column = memory_array(a, entries + 1, sizeof *mass->column);
    mass->value = memory_array(a, entries + 1, sizeof *mass->value);
    if (mass->turn && mass->start && mass->column && mass->value) {
        memcpy(mass->start, start, ((size_t)n + 1) * sizeof *start);
        memcpy(mass->column, column, entries * sizeof *column);
        memcpy(mass->value, value, entries * sizeof *value);
        status = factorise(mass, a);
    }
    if (status != SCREE_OK) mass_destroy(mass, a);
    else *out = mass;
    return status;
}

void mass_solve(scree_mass *mass, const double *impulse, double *velocity)
{
    lock_take(&mass->turn->lock);
    direct_solve(mass->factor, impulse, velocity);
    lock_release(&mass->turn->lock);
}

int mass_solve_many(scree_mass *mass, int count, const double *impulses, double *velocities)
{
    lock_take(&mass->turn->lock);
    int solved = direct_solve_many(mass->factor, count, impulses, velocities);
    lock_release(&mass->turn->lock);
    return solved;
}
