/* raw.h: what a problem file holds, entry by entry: the common ground of the .dat and FCLIB readers and writers.
 *
 *     local    u = W r + V l + q,   0 = V' r + R l + s                                                docs/formats.md
 *     global   M v = H r + G l + f,   u = H' v + w,   0 = G' v + b
 *
 * Every matrix is scalar CSR with columns ascending, whatever its storage in the file; entries that are stored as zero
 * stay, so that a file converted there and back has the same bits. Private to the library. */
#ifndef SCREE_PROBLEM_RAW_H
#define SCREE_PROBLEM_RAW_H

#include <scree/problem.h>

#include <stdio.h>

typedef enum raw_kind { RAW_LOCAL, RAW_GLOBAL } raw_kind;

/// How a matrix is stored in a file; writers keep it where their format has it.
typedef enum raw_storage { RAW_DENSE, RAW_BLOCK, RAW_TRIPLET, RAW_CSC, RAW_CSR, RAW_HALF_TRIPLET } raw_storage;

enum { RAW_W, RAW_V, RAW_R, RAW_M, RAW_H, RAW_G, RAW_MATRICES };
enum { RAW_Q, RAW_S, RAW_F, RAW_U_FREE, RAW_B, RAW_MU, RAW_MU_R, RAW_MU_S, RAW_VECTORS };
enum { RAW_SOLUTION_V, RAW_SOLUTION_U, RAW_SOLUTION_R, RAW_SOLUTION_L, RAW_SOLUTION_PARTS };
enum { RAW_TITLE, RAW_DESCRIPTION, RAW_MATH_INFO, RAW_INFOS };

typedef struct raw_matrix {
    int rows, cols;
    raw_storage storage;
    int *start;    /* (rows + 1); NULL: the matrix is absent */
    int *column;   /* (start[rows])                          */
    double *value; /* (start[rows])                          */
    /* block storage: first row or column after each block (cumulative sizes), else NULL */
    int row_blocks, col_blocks;
    int *row_end, *col_end;
} raw_matrix;

typedef struct raw_solution {
    double *part[RAW_SOLUTION_PARTS]; /* v, u, r, l; each may be NULL */
} raw_solution;

typedef struct raw_problem {
    raw_kind kind;
    int dim;            /* rows of a contact: 2, 3, 5 of the formats, 4 and 6 (spinning) of ours */
    int contact_count;  /* rows = dim x contacts                                                 */
    int dof_count;      /* global: rows of M, else 0                                             */
    int equality_count; /* rows of R, or columns of G                                            */
    raw_matrix matrix[RAW_MATRICES];
    double *vector[RAW_VECTORS]; /* NULL: absent                                                  */
    raw_solution solution;
    int guess_count;
    raw_solution *guess;
    char *info[RAW_INFOS];
    scree_allocator allocator;
} raw_problem;

/* ---- the container (raw.c) -------------------------------------------------------------------------------------- */

extern const char *const raw_matrix_name[RAW_MATRICES];         /* "W", "V", ...        */
extern const char *const raw_vector_name[RAW_VECTORS];          /* "q", "s", "f", ...   */
extern const char *const raw_solution_name[RAW_SOLUTION_PARTS]; /* "v", "u", "r", "l"   */
extern const char *const raw_info_name[RAW_INFOS];              /* "title", ...         */

raw_problem *raw_create(const scree_allocator *allocator);
void raw_destroy(raw_problem *raw);

int raw_row_count(const raw_problem *raw);

/// Whether a problem of this kind and dim has the matrix or vector: those of equality constraints only if there are any.
int raw_has_matrix(const raw_problem *raw, int matrix);
int raw_has_vector(const raw_problem *raw, int vector);
void raw_matrix_shape(const raw_problem *raw, int matrix, int *rows, int *cols);
int raw_vector_size(const raw_problem *raw, int vector);
int raw_solution_size(const raw_problem *raw, int part);

/// Fills start, column, value of A (whose rows and cols are set, and whose entries lie inside) from triplets in any order;
/// duplicates add up in the order given. Returns 0 when there is no memory.
int raw_matrix_fill(raw_matrix *A, size_t count, const int *row, const int *column, const double *value,
                    const scree_allocator *allocator);
void raw_matrix_clear(raw_matrix *A, const scree_allocator *allocator);
size_t raw_matrix_entries(const raw_matrix *A);

/// Same structure and the same bits everywhere (storage kinds and block sizes may differ).
int raw_equal(const raw_problem *a, const raw_problem *b);

scree_status raw_out_of_memory(const char *file, scree_error *error);

/* ---- readers and writers ---------------------------------------------------------------------------------------- */

scree_status raw_read_dat(const char *text, size_t size, const char *file, scree_file_kind kind,
                          const scree_allocator *allocator, raw_problem **raw, scree_error *error);
scree_status raw_write_dat(const raw_problem *raw, FILE *out, const char *file, scree_error *error);

/// 0 in builds without HDF5; then the functions below do not exist.
int raw_fclib_built(void);

/// From the file, or, where `image` is not NULL, from its content in memory.
scree_status raw_read_fclib(const char *file, const void *image, size_t image_size, scree_file_kind kind,
                            const scree_allocator *allocator, raw_problem **raw, scree_error *error);
/// The same of a content that nobody vouches for: in a process of its own, so that a damaged file is an error and no crash.
scree_status raw_read_fclib_apart(const char *file, const void *image, size_t image_size, scree_file_kind kind,
                                  const scree_allocator *allocator, raw_problem **raw, scree_error *error);
scree_status raw_write_fclib(const raw_problem *raw, FILE *out, const char *file, scree_error *error);

/// By content and by extension (files.c). "-" is standard input, .dat only.
scree_status raw_read(const char *path, scree_file_kind kind, const scree_allocator *allocator, raw_problem **raw,
                      scree_error *error);
scree_status raw_write(const raw_problem *raw, const char *path, scree_error *error);

/* ---- to and from problems ---------------------------------------------------------------------------------------- */

/// Masses of bodies with more degrees of freedom than this are not inverted: W is assembled, or M kept with its sparse factor.
enum { RAW_BODY_DOF_MAX = 12 };

scree_status raw_to_problem(const raw_problem *raw, const char *file, const scree_allocator *allocator,
                            scree_problem **problem, scree_error *error);

/// Local from an assembled problem; global from one through the bodies (local where compliance or a singular mass of a
/// body has no place in a global file). `p` (row_count), or NULL, becomes the solution.
scree_status raw_from_problem(const scree_problem *problem, const double *p, const char *file,
                              const scree_allocator *allocator, raw_problem **raw, scree_error *error);

#endif
