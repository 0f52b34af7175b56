/* lanes_table.h: every operation of math/lanes.h as a loop over numbers in memory, so that widths, each compiled for its own instruction set,
 * can be compared (lanes_table.c, test_lanes.c). */
#ifndef SCREE_TESTS_LANES_TABLE_H
#define SCREE_TESTS_LANES_TABLE_H

/// Name, and the result for operands a, b, c. First those whose result may be a number that is not one and was not an operand: which bits
/// it has is left open. MINUS_..: a negation behind a fused sum, which compilers like to draw into it.
#define LANES_ARITHMETIC(X)                                                                                            \
    X(ADD, a + b)                                                                                                      \
    X(SUBTRACT, a - b)                                                                                                 \
    X(MULTIPLY, a *b)                                                                                                  \
    X(DIVIDE, a / b)                                                                                                   \
    X(NOT_FUSED, a *b + c)                                                                                             \
    X(ROOT, root(a))                                                                                                   \
    X(MAD, mad(a, b, c))                                                                                               \
    X(NMAD, nmad(a, b, c))                                                                                             \
    X(NMSUB, nmsub(a, b, c))                                                                                           \
    X(MINUS_MAD, -mad(a, b, c))                                                                                        \
    X(MINUS_NMAD, -nmad(a, b, c))                                                                                      \
    X(MINUS_NMSUB, -nmsub(a, b, c))                                                                                    \
    X(MINUS_ONE_TIMES_MAD, mad(a, b, c) * all(-1.0))                                                                   \
    X(MAD_OF_NEGATIVES, mad(-a, b, -c))                                                                                \
    X(NEAREST, nearest(a))                                                                                             \
    X(DOT3, dot3((lanes[3]){a, b, c}, (lanes[3]){b, c, a}))                                                            \
    X(MINUS_DOT3, -dot3((lanes[3]){a, b, c}, (lanes[3]){b, c, a}))                                                     \
    X(CROSS3_X, cross_of(a, b, c, 0))                                                                                  \
    X(CROSS3_Y, cross_of(a, b, c, 1))                                                                                  \
    X(CROSS3_Z, cross_of(a, b, c, 2))                                                                                  \
    X(ADD_CROSS3_X, cross_added(a, b, c, 0))                                                                           \
    X(ADD_CROSS3_Y, cross_added(a, b, c, 1))                                                                           \
    X(ADD_CROSS3_Z, cross_added(a, b, c, 2))

/// Those that pass operands on, or bits of them: every bit counts.
#define LANES_CHOICES(X)                                                                                               \
    X(ALL, all(-0.0))                                                                                                  \
    X(SIZE_OF, size_of(a))                                                                                             \
    X(SMALLER, smaller(a, b))                                                                                          \
    X(LARGER, larger(a, b))                                                                                            \
    X(POWER_OF, power_of(a))                                                                                           \
    X(CHOOSE, choose(greater(a, b), c, a))                                                                             \
    X(ONLY, only(greater(a, b), c))                                                                                    \
    X(WITHOUT, without(greater(a, b), c))                                                                              \
    X(BOTH, only(both(greater(a, b), greater(b, c)), a))                                                               \
    X(BUT_NOT, only(but_not(greater(a, b), greater(b, c)), a))                                                         \
    X(EITHER, only(either(greater(a, b), greater(b, c)), a))                                                           \
    X(BITS_OF, lanes_of_bits(bits_of(greater(a, b))))                                                                  \
    X(OF_BITS, only(of_bits(bits_where(a, b)), c))

#define LANES_NAME(name, result) LANES_##name,
enum lanes_operation { LANES_ARITHMETIC(LANES_NAME) LANES_CHOICES_BEGIN, LANES_CHOICES(LANES_NAME) LANES_OPERATIONS };
#undef LANES_NAME

typedef struct lanes_table {
    int width;
    /// out[i] = operation(a[i], b[i], c[i]); n is a multiple of 8 and the arrays are aligned to 64 bytes.
    void (*run)(enum lanes_operation operation, int n, const double *a, const double *b, const double *c, double *out);
    /// 1 if a square of numbers is transposed.
    int (*transposes)(const double *numbers);
} lanes_table;

extern const lanes_table lanes_1, lanes_2;
#if defined(SCREE_X86_KERNELS)
extern const lanes_table lanes_1_fma, lanes_2_fma, lanes_4, lanes_8;
#endif

#endif
