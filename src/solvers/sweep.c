/* sweep.c: preparing sweeps. */
#include "solvers/sweep.h"

#include <string.h>

scree_status sweep_create(const scree_problem *problem, const scree_allocator *allocator, sweep *s)
{
    memset(s, 0, sizeof *s);
    if (problem->W) return SCREE_OK;
    s->v = memory_array(allocator, (size_t)problem->dof_count + 1, sizeof *s->v);
    s->MH = memory_array(allocator, problem->Ht->at[problem->Ht->start[problem->block_count]] + 1, sizeof *s->MH);
    return s->v && s->MH ? SCREE_OK : SCREE_ERR_MEMORY;
}

void sweep_destroy(sweep *s, const scree_allocator *allocator)
{
    memory_free(allocator, s->v);
    memory_free(allocator, s->MH);
}

void sweep_begin(sweep *s, const scree_problem *problem, const double *p)
{
    if (problem->W) return;
    const scree_block_matrix *Ht = problem->Ht;
    memset(s->v, 0, (size_t)problem->dof_count * sizeof *s->v);
    for (int b = 0; b < problem->block_count; ++b) {
        int n = problem->offset[b + 1] - problem->offset[b];
        for (int e = Ht->start[b]; e < Ht->start[b + 1]; ++e) {
            int body = Ht->column[e], d = Ht->col_offset[body + 1] - Ht->col_offset[body];
            const double *N = problem->inv_mass->value + problem->inv_mass->at[body], *B = Ht->value + Ht->at[e];
            double *A = s->MH + Ht->at[e];
            for (int i = 0; i < d; ++i)
                for (int j = 0; j < n; ++j) {
                    double sum = 0.0;
                    for (int k = 0; k < d; ++k) sum += N[i * d + k] * B[j * d + k];
                    A[i * n + j] = sum;
                }
        }
        sweep_update(s, problem, b, p + problem->offset[b]);
    }
}
