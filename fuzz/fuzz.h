/* fuzz.h: what the fuzzed functions share: bytes taken one by one, and judging a contact. */
#ifndef SCREE_FUZZ_FUZZ_H
#define SCREE_FUZZ_FUZZ_H

#include <scree/laws.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

/// The next byte; 0 when there is none.
static inline unsigned take(bytes *b)
{
    if (b->left == 0) return 0;
    b->left -= 1;
    return *b->at++;
}

static inline void fuzz_require(int holds, const char *file, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", file, what);
    abort();
}
#define require(holds, what) fuzz_require(holds, __FILE__, what)

/// Clearly positive definite: with the diagonal scaled to 1, every pivot of Cholesky's factorisation is above 1e-6.
static inline int is_definite(const scree_contact *contact)
{
    int dim = scree_cone_dim(&contact->cone);
    double L[SCREE_DIM_MAX][SCREE_DIM_MAX];
    for (int j = 0; j < dim; ++j)
        for (int i = j; i < dim; ++i) {
            double diagonal = contact->W[i * dim + i] * contact->W[j * dim + j];
            if (!(diagonal > 0.0)) return 0;
            double x = contact->W[i * dim + j] / sqrt(diagonal);
            for (int k = 0; k < j; ++k) x -= L[i][k] * L[j][k];
            if (i == j && x < 1e-6) return 0;
            L[i][j] = i == j ? sqrt(x) : x / L[j][j];
        }
    return 1;
}

#endif
