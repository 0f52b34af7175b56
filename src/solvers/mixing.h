/* mixing.h: Anderson mixing, type II, of a fixed point x = G(x).                            Anderson 1965; Walker & Ni 2011
 *
 *     g = G(x),   f = g - x,   c = argmin |f - dF c|^2 + tiny |c|^2,   x <- g - dG c
 *
 * dF, dG: the last `memory` differences of f and of g. The norm is Euclidean: the caller scales. Departs from the papers: the
 * least squares (normal equations of order `memory`) are regularised by 1e-10 of the trace. */
#ifndef SCREE_SOLVERS_MIXING_H
#define SCREE_SOLVERS_MIXING_H

#include "base/memory.h"
#include "math/dense.h"

#include <string.h>

enum { MIXING_MEMORY_MAX = 20 };

typedef struct mixing {
    int n, memory;
    int steps;       /* since the last plain one                      */
    double *f, *g;   /* (n) of the step before                        */
    double *dF, *dG; /* (memory x n) a row per difference             */
} mixing;

static inline scree_status mixing_create(int n, int memory, const scree_allocator *a, mixing *x)
{
    x->n = n, x->memory = memory < 1 ? 1 : memory > MIXING_MEMORY_MAX ? MIXING_MEMORY_MAX : memory;
    size_t rows = (size_t)x->memory * (size_t)n;
    x->f = memory_array(a, (size_t)n + 1, sizeof *x->f);
    x->g = memory_array(a, (size_t)n + 1, sizeof *x->g);
    x->dF = memory_array(a, rows + 1, sizeof *x->dF);
    x->dG = memory_array(a, rows + 1, sizeof *x->dG);
    return x->f && x->g && x->dF && x->dG ? SCREE_OK : SCREE_ERR_MEMORY;
}

static inline void mixing_destroy(mixing *x, const scree_allocator *a)
{
    memory_free(a, x->f);
    memory_free(a, x->g);
    memory_free(a, x->dF);
    memory_free(a, x->dG);
}

/// The differences are forgotten.
static inline void mixing_begin(mixing *x)
{
    x->steps = 0;
}

/// g <- the plain g of the step before; the differences are forgotten.
static inline void mixing_back(mixing *x, double *g)
{
    memcpy(g, x->g, (size_t)x->n * sizeof *g);
    x->steps = 0;
}

/// g <- g - dG c, c = argmin |f - dF c|^2 + tiny |c|^2 over `count` differences.
static inline void mixing_extrapolate(const mixing *x, int count, const double *f, double *g)
{
    double A[MIXING_MEMORY_MAX * MIXING_MEMORY_MAX], c[MIXING_MEMORY_MAX], trace = 0.0;
    int n = x->n;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j <= i; ++j)
            A[i * count + j] = A[j * count + i] = dot(n, x->dF + (size_t)i * (size_t)n, x->dF + (size_t)j * (size_t)n);
        c[i] = dot(n, x->dF + (size_t)i * (size_t)n, f);
        trace += A[i * count + i];
    }
    for (int i = 0; i < count; ++i) A[i * count + i] += 1e-10 * trace;
    if (!cholesky_factor(count, count, A, 0.0, A)) return; /* f has not changed: nothing to learn */
    cholesky_solve(count, count, A, c, c);
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < n; ++i) g[i] -= c[j] * x->dG[(size_t)j * (size_t)n + (size_t)i];
}

/// One step: f = G(x) - x and g = G(x) are remembered, then g becomes the next x.
static inline void mixing_step(mixing *x, const double *f, double *g)
{
    size_t n = (size_t)x->n;
    if (x->steps > 0) {
        size_t slot = (size_t)((x->steps - 1) % x->memory) * n;
        for (size_t i = 0; i < n; ++i) x->dF[slot + i] = f[i] - x->f[i], x->dG[slot + i] = g[i] - x->g[i];
    }
    memcpy(x->f, f, n * sizeof *f);
    memcpy(x->g, g, n * sizeof *g);
    mixing_extrapolate(x, x->steps < x->memory ? x->steps : x->memory, f, g);
    x->steps += 1;
}

#endif
