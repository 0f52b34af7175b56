/* poly.c: real roots of p(x) = a_0 + a_1 x + ... + a_n x^n, n <= 4, to the last bit or nearly
 *
 * Scaling. x = 2^s y with s from the exponents of the a_i alone, such that the Fujiwara bound
 *     |x| <= 2 max_i |a_i / a_n|^(1/(n-i))
 *   puts every root (and by Gauss-Lucas every critical point) in |y| < 1; then a common power of two makes
 *   1/2 <= |a_n| < 1. No term overflows. Where a term underflows it is at least 2^106 times smaller than |a_0|, as long
 *   as |a_0| >= 2^-900. If it is not, the Newton polygon has a gap of 2^147 or more in root size (three gaps share
 *   3 g1 + 2 g2 + g3 >= 887 bits), and by Pellet's theorem p splits there: a_0..a_k gives the small roots, a_k..a_n the
 *   large ones, both as if some coefficients had moved by 2^-147, which is finer than anything below can see.
 * Roots. Those of p' cut the line into pieces where p is monotone; a piece whose ends differ in sign holds one simple
 *   root. Degrees 1 and 2 are closed forms with an exact discriminant. A piece is solved by Halley steps in plain
 * double (bracketed where they do not settle at once), then Newton steps with the compensated value of p until what a
 * step leaves is below 1/16 ulp.
 * Signs. Every sign that decides a count is certain: |p| exceeds a rigorous bound of its error, in plain double if
 *   possible, else compensated at a critical point that was itself polished. A critical point of multiplicity m where
 *   |p| is within that bound is a root of multiplicity m + 1; neighbours of that kind are one cluster (Rolle: between
 *   two distinct roots lies a critical point where p is not zero).
 * Derivatives. 3 a_i is not always a double, so coefficients are twofolds (hi + lo) and p' is exact: triple roots would
 *   be lost otherwise.
 *
 * Source: compensated Horner and its running bound are those of Graillat, Langlois & Louvet (Compensated Horner scheme,
 * 2005); the bound here counts the twofold coefficients too. The rest is classical; the guesses are ours. */
#include "poly.h"
#include "twofold.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define UNIT_ROUNDOFF (0.5 * DBL_EPSILON)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* One instruction each; fmin and fmax are calls, because they promise something about NaN. Here NaN gives b. */
ALWAYS_INLINE double smaller(double a, double b)
{
    return a < b ? a : b;
}
ALWAYS_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A scaled polynomial or a derivative of one: the i-th coefficient is exactly c[i] + e[i]. */
typedef struct poly {
    double c[POLY_MAX_DEGREE + 1], e[POLY_MAX_DEGREE + 1];
} poly;

/* Plain values at one point, with bounds of their rounding errors. */
typedef struct jet {
    double p, dp, half_ddp;   /* p, p', p''/2 */
    double p_noise, dp_noise; /* |error of p|, |error of p'| */
} jet;

/* Where p is known to have a sign: a critical point, or an end of the line. sign = 0 marks a multiple root. */
typedef struct node {
    double x;
    int sign, critical_multiplicity; /* the latter 0 at the ends of the line */
    jet at;
} node;

/* ------------------------------------------------------------------ evaluation */

/* n is a constant in each call, so the Horner loops are straight lines. */
ALWAYS_INLINE jet jet_at(int n, const poly *p, double x)
{
    double size = fabs(x), p_size = fabs(p->c[n]), dp_size = 0.0;
    jet j = {.p = p->c[n]};
    for (int i = n - 1; i >= 0; --i) {
        j.half_ddp = j.half_ddp * x + j.dp;
        j.dp = j.dp * x + j.p;
        j.p = j.p * x + p->c[i];
        dp_size = dp_size * size + p_size;
        p_size = p_size * size + fabs(p->c[i]);
    }
    j.p_noise = (2 * n + 3) * UNIT_ROUNDOFF * p_size; /* 2n roundings, 1 for the neglected e[], 2 for this line's own */
    j.dp_noise = (2 * n + 3) * UNIT_ROUNDOFF * dp_size;
    return j;
}

/* p(x) = Horner(c) + sum_i (product error + sum error + e)_i x^i: the sum needs plain double only. */
ALWAYS_INLINE double compensated(int n, const double *c, const double *e, double x, double *bound)
{
    twofold x_half = half_words(x);
    double size = fabs(x), value = c[n], correction = e ? e[n] : 0.0, correction_size = fabs(correction);
    for (int i = n - 1; i >= 0; --i) {
        twofold product = two_product_split(value, x, x_half), sum = two_sum(product.hi, c[i]);
        double low = e ? e[i] : 0.0;
        value = sum.hi;
        correction = correction * x + ((product.lo + sum.lo) + low);
        correction_size = correction_size * size + ((fabs(product.lo) + fabs(sum.lo)) + fabs(low));
    }
    double result = value + correction;
    /* one rounding of the result, 2n + 1 of the correction, 3 for this line's own and for correction_size */
    *bound = UNIT_ROUNDOFF * (fabs(result) + (2 * n + 4) * correction_size);
    return result;
}

ALWAYS_INLINE poly derivative(int n, const poly *p)
{
    poly d = {{0}, {0}};
    for (int i = 1; i <= n; ++i) {
        twofold product =
            i == 3 ? two_sum(2.0 * p->c[i], p->c[i]) : (twofold){i * p->c[i], 0.0}; /* 1, 2, 4 are exact */
        d.c[i - 1] = product.hi;
        d.e[i - 1] = product.lo + i * p->e[i];
    }
    return d;
}

/* ------------------------------------------------------------------ one root in a bracket */

typedef struct bracket {
    double lo, hi; /* never 0 strictly inside */
    int lo_sign;   /* of p at lo; the opposite at hi */
} bracket;

ALWAYS_INLINE void bracket_shrink(bracket *b, double x, double value)
{
    if ((value > 0.0) == (b->lo_sign > 0)) b->lo = x;
    else b->hi = x;
}

ALWAYS_INLINE int bracket_holds(const bracket *b, double x)
{
    return x > b->lo && x < b->hi;
}

/* The middle of the exponents while they differ, then of the numbers: some 70 halvings at worst, not 1000. */
static double bracket_middle(const bracket *b)
{
    double near = smaller(fabs(b->lo), fabs(b->hi)), far = larger(fabs(b->lo), fabs(b->hi));
    if (near >= 0.0625 * far || far < 0x1p-1000) return 0.5 * (b->lo + b->hi);
    return copysign(sqrt(larger(near, 0x1p-1000)) * sqrt(far), b->lo + b->hi);
}

typedef enum stride { STEPPED, HALVED, NO_ROOM } stride;

/* x = next = x + step where that is inside and the step at most half the last one; else the middle, while there is one. */
ALWAYS_INLINE stride bracket_step(const bracket *b, double next, double step, double *x, double *last)
{
    if (bracket_holds(b, next) && fabs(step) <= 0.5 * *last) {
        *x = next, *last = fabs(step);
        return STEPPED;
    }
    next = bracket_middle(b), *last = fabs(next - *x);
    if (!bracket_holds(b, next)) return NO_ROOM;
    *x = next;
    return HALVED;
}

/* The most by which p' can differ from its plain value within `step` of x; third >= |p'''|/6 for |x| < 1. */
ALWAYS_INLINE double slope_doubt(const jet *j, double third, double step)
{
    return step * (2.0 * fabs(j->half_ddp) + 3.0 * step * third) + j->dp_noise;
}

ALWAYS_INLINE double third_most(int n, const poly *p)
{
    return fabs(p->c[3]) + (n == 4 ? 4.0 * fabs(p->c[4]) : 0.0);
}

/* Newton with the compensated value from a good x: to half an ulp and a hair, or as far as two doubles see. */
ALWAYS_INLINE double polish(int n, const poly *p, bracket b, double x)
{
    double last = HUGE_VAL;
    for (int k = 0; k < 200; ++k) {
        double bound, value = compensated(n, p->c, p->e, x, &bound);
        if (fabs(value) <= bound) break;
        jet j = jet_at(n, p, x);
        bracket_shrink(&b, x, value);
        if (j.dp_noise > 0.0625 * fabs(j.dp)) { /* a cluster: p' needs two doubles as well */
            poly d = derivative(n, p);
            j.dp = compensated(n - 1, d.c, d.e, x, &j.dp_noise);
        }
        double step = -value / j.dp, next = x + step;
        if (next == x) break;
        stride taken = bracket_step(&b, next, step, &x, &last);
        if (taken == NO_ROOM) break;
        if (taken == HALVED) continue;
        double left = last * slope_doubt(&j, third_most(n, p), last) / fabs(j.dp); /* what this step did not remove */
        if (left <= 0.125 * UNIT_ROUNDOFF * fabs(x)) break;
    }
    return x;
}

ALWAYS_INLINE double halley_step(const jet *j)
{
    double inverse = 1.0 / j->dp, newton = j->p * inverse, bend = newton * (j->half_ddp * inverse);
    return -newton / larger(1.0 - bend, 0.25);
}

/* The root of p in a bracket where p is monotone. To the last bit if `exact`; else at least well inside the basin of
 * Newton's method: over the last step p' changes by 1/64 of itself, errors included. */
ALWAYS_INLINE double solve_bracket(int n, const poly *p, bracket b, double guess, int exact)
{
    if (b.lo < 0.0 && b.hi > 0.0) { /* p(0) = c[0]: the sign is free */
        if (p->c[0] == 0.0) return 0.0;
        bracket_shrink(&b, 0.0, p->c[0]);
        if (!bracket_holds(&b, guess)) guess = -p->c[0] / p->c[1];
    }
    double x = bracket_holds(&b, guess) ? guess : bracket_middle(&b), last = HUGE_VAL;
    bracket whole = b;
    for (int k = 0; k < 200; ++k) {
        jet j = jet_at(n, p, x);
        if (fabs(j.p) <= j.p_noise) {
            if (!exact && slope_doubt(&j, third_most(n, p), 2.0 * j.p_noise / fabs(j.dp)) <= 0x1p-6 * fabs(j.dp))
                return x;
            break;
        }
        bracket_shrink(&b, x, j.p);
        double step = halley_step(&j), next = x + step;
        stride taken = bracket_step(&b, next, step, &x, &last);
        if (taken == NO_ROOM) break;
        if (taken == HALVED) continue;
        double reach = last + 2.0 * j.p_noise / fabs(j.dp);
        if (last <= 0x1p-11 * fabs(x) && slope_doubt(&j, third_most(n, p), reach) <= 0x1p-6 * fabs(j.dp)) {
            if (!exact) return x;
            break;
        }
    }
    return polish(n, p, whole, x);
}

/* A bracket, the guess in it, and the place of its root among the results. */
typedef struct piece {
    bracket where;
    double x;
    int slot;
} piece;

/* The roots of all pieces side by side: two Halley steps (three for a quartic) without a decision in them, so that the
 * machine overlaps the pieces, then one step that knows its own error. Where that is not enough, for some
 * roots in a hundred, the guarded loop starts from there. */
ALWAYS_INLINE void solve_pieces(int n, const poly *p, int count, piece *pieces, int exact, double *x)
{
    jet j[POLY_MAX_DEGREE];
    double step[POLY_MAX_DEGREE], third = third_most(n, p);
    for (int k = 0; k < (exact ? n - 1 : 2); ++k) {
        for (int i = 0; i < count; ++i) {
            j[i] = jet_at(n, p, pieces[i].x);
            double square = j[i].dp * j[i].dp; /* may underflow to 0 / 0: then `good` is false below */
            step[i] = -j[i].p * j[i].dp / larger(square - j[i].p * j[i].half_ddp, 0.25 * square);
            pieces[i].x = smaller(larger(pieces[i].x + step[i], pieces[i].where.lo), pieces[i].where.hi);
        }
    }
    for (int i = 0; i < count; ++i) {
        const bracket *b = &pieces[i].where;
        double y = pieces[i].x;
        int good;
        if (!exact) {
            double reach = fabs(step[i]) + 2.0 * j[i].p_noise / fabs(j[i].dp);
            good = slope_doubt(&j[i], third, reach) <= 0x1p-6 * fabs(j[i].dp);
        } else { /* p is not a derivative, all e[] are 0 */
            double bound, value = compensated(n, p->c, NULL, y, &bound);
            j[i] = jet_at(n, p, y);
            double correction = -value / j[i].dp, left = fabs(correction) * slope_doubt(&j[i], third, fabs(correction));
            y += correction;
            good = left <= 0.125 * UNIT_ROUNDOFF * fabs(y) * fabs(j[i].dp);
        }
        x[pieces[i].slot] = good && bracket_holds(b, y) ? y : solve_bracket(n, p, *b, pieces[i].x, exact);
    }
}

/* ------------------------------------------------------------------ guesses */

/* The inverse of 3t^2 - 2t^3 = y for 0 <= y <= 1/2, to 0.3 %: the shape of p between two critical points. */
ALWAYS_INLINE double inverse_smoothstep(double y)
{
    double t = sqrt(y * (1.0 / 3.0));
    return t * (1.0 + t * (1.0 / 3.0 + t * (5.0 / 18.0 + t * 0.6226)));
}

/* Cube root to 5 %, x > 0 normal: the exponent divided by three. */
ALWAYS_INLINE double rough_cube_root(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + UINT64_C(0x2A9F7893782DA1CE);
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* Both ends critical: a cubic with the same ends and end slopes, seen from the end where p is smaller. */
ALWAYS_INLINE double guess_between(const node *l, const node *r)
{
    double pl = fabs(l->at.p), pr = fabs(r->at.p), width = r->x - l->x;
    return pl < pr ? l->x + width * inverse_smoothstep(pl / (pl + pr))
                   : r->x - width * inverse_smoothstep(pr / (pl + pr));
}

/* Outwards from a critical point:  |p| = A d^2 + B d^3 + C d^4 at distance d. If A, B, C >= 0 each term alone gives
 * an upper bound of d, and d^2 = |p| / (A + B d + C d^2) at an upper bound gives a lower one; their geometric mean is
 * the guess. */
ALWAYS_INLINE double guess_beyond(int n, const poly *p, const node *c, int direction)
{
    double size = fabs(c->at.p), s = c->at.p > 0.0 ? -1.0 : 1.0,
           third = p->c[3] + (n == 4 ? 4.0 * c->x * p->c[4] : 0.0);
    double A = s * c->at.half_ddp, B = s * direction * third, C = n == 4 ? s * p->c[4] : 0.0;
    double upper = n == 4 ? sqrt(sqrt(size / C)) : rough_cube_root(size / B);
    if (A > 0.0) upper = smaller(upper, sqrt(size / A));
    double slope = A + upper * (B + upper * C);
    double lower_square = slope > 0.0 ? size / slope : upper * upper;
    return c->x + direction * sqrt(upper * sqrt(lower_square));
}

/* A cubic without critical points, from its inflection:  |p| = p' d + c3 d^3. */
ALWAYS_INLINE double guess_monotone(const poly *p)
{
    double x = -p->c[2] / (3.0 * p->c[3]);
    jet j = jet_at(3, p, x);
    double size = fabs(j.p), slope = fabs(j.dp), cube = fabs(p->c[3]);
    if (size <= j.p_noise) return x;
    double upper = smaller(size / slope, 1.05 * rough_cube_root(size / cube));
    double d = sqrt(upper * (size / (slope + cube * upper * upper)));
    return x + ((j.p > 0.0) == (p->c[3] > 0.0) ? -d : d);
}

/* ------------------------------------------------------------------ degrees 1 and 2 */

static int roots_linear(const poly *p, double *x, int *m)
{
    x[0] = -twofold_ratio((twofold){p->c[0], p->e[0]}, (twofold){p->c[1], p->e[1]});
    m[0] = 1;
    return 1;
}

/* q = -(c1 + sign(c1) sqrt(D)) / 2, x1 = q / c2, x2 = c0 / q with D = c1^2 - 4 c0 c2 exact (to 2^-100 if some e[] is
 * not 0). */
static int roots_quadratic(const poly *p, int exact, double *x, int *m)
{
    const double *c = p->c, *e = p->e;
    if (!exact) { /* critical points: plain double will do where the sign of D is plain */
        double b2 = c[1] * c[1], ac4 = 4.0 * c[0] * c[2], rough = b2 - ac4;
        if (fabs(rough) > 0x1p-20 * (b2 + fabs(ac4))) {
            if (rough < 0.0) return 0;
            double q_rough = -0.5 * (c[1] + copysign(sqrt(rough), c[1])), x1 = q_rough / c[2], x2 = c[0] / q_rough;
            x[0] = smaller(x1, x2), x[1] = larger(x1, x2);
            m[0] = m[1] = 1;
            return 2;
        }
    }
    twofold square = two_product(c[1], c[1]), product = two_product(4.0 * c[0], c[2]);
    twofold high = two_sum(square.hi, -product.hi), low = two_sum(square.lo, -product.lo);
    twofold D = two_sum(high.hi, low.hi);
    D = quick_two_sum(D.hi,
                      D.lo + (high.lo + low.lo)); /* the sign of D.hi is the sign of D: cancelled sums are exact */
    double tolerance = 0.0;
    if (e[0] != 0.0 || e[1] != 0.0 || e[2] != 0.0) {
        D = twofold_add(D, (twofold){2.0 * c[1] * e[1] - 4.0 * (c[0] * e[2] + e[0] * c[2]), 0.0});
        tolerance = 0x1p-100 * (square.hi + fabs(product.hi));
    }
    twofold b = {c[1], e[1]};
    if (fabs(D.hi) <= tolerance) {
        x[0] = -0.5 * twofold_ratio(b, (twofold){c[2], e[2]});
        m[0] = 2;
        return 1;
    }
    if (D.hi < 0.0) return 0;
    twofold root = twofold_sqrt(D);
    if (c[1] < 0.0) root.hi = -root.hi, root.lo = -root.lo;
    twofold q = twofold_add(b, root);
    q.hi *= -0.5, q.lo *= -0.5;
    double x1 = twofold_ratio(q, (twofold){c[2], e[2]}), x2 = twofold_ratio((twofold){c[0], e[0]}, q);
    x[0] = smaller(x1, x2), x[1] = larger(x1, x2);
    m[0] = m[1] = 1;
    return 2;
}

/* ------------------------------------------------------------------ degrees 3 and 4 */

/* The sign of p at a critical point where plain double does not give it; 0 for a multiple root. Moves c->x to full
 * accuracy. With c off the true point by a rounding, the extreme value is p - p'^2/(2p''): where that has the other
 * sign, two roots lie within a rounding of c, and count as one. */
ALWAYS_INLINE int sign_at_critical(int n, const poly *p, const poly *dp, node *c)
{
    double dp_bound, value, bound;
    if (c->critical_multiplicity == 1) {
        double slope = compensated(n - 1, dp->c, dp->e, c->x, &dp_bound);
        for (int k = 0; k < 8 && fabs(slope) > dp_bound; ++k) { /* 2 p''/2 = p'' is safe: solve_bracket's basin */
            double next = c->x - slope / (2.0 * jet_at(n, p, c->x).half_ddp);
            double next_slope = compensated(n - 1, dp->c, dp->e, next, &dp_bound);
            if (!(fabs(next_slope) < fabs(slope))) break;
            c->x = next, slope = next_slope;
        }
        c->at = jet_at(n, p, c->x);
        value = compensated(n, p->c, p->e, c->x, &bound);
        double extreme = value - 0.25 * slope * (slope / c->at.half_ddp);
        if (fabs(extreme) <= bound || (extreme > 0.0) != (value > 0.0)) return 0;
    } else {
        c->at = jet_at(n, p, c->x);
        value = compensated(n, p->c, p->e, c->x, &bound);
    }
    c->at.p = value;
    return fabs(value) <= bound ? 0 : value > 0.0 ? 1 : -1;
}

ALWAYS_INLINE void node_set(int n, const poly *p, const poly *dp, double x, int multiplicity, node *c)
{
    c->x = x, c->critical_multiplicity = multiplicity, c->at = jet_at(n, p, x);
    double dp_most = fabs(c->at.dp) + c->at.dp_noise;
    double sure = (fabs(c->at.p) - 2.0 * c->at.p_noise) * fabs(c->at.half_ddp); /* |p| > 2 noise + 2 p'^2/(p''/2) */
    c->sign = sure > 2.0 * dp_most * dp_most ? (c->at.p > 0.0 ? 1 : -1) : sign_at_critical(n, p, dp, c);
}

/* Roots of p from those of p' (dp, critical points c[0..count-1] of multiplicity m_c[]). */
ALWAYS_INLINE int roots_between(int n, const poly *p, const poly *dp, int count, const double *c, const int *m_c,
                                int exact, double *x, int *m)
{
    node nodes[POLY_MAX_DEGREE + 1];
    piece pieces[POLY_MAX_DEGREE];
    int found = 0, open = 0;
    nodes[0].x = -1.0, nodes[0].sign = (p->c[n] > 0.0) == (n % 2 == 0) ? 1 : -1, nodes[0].critical_multiplicity = 0;
    for (int i = 0; i < count; ++i) node_set(n, p, dp, c[i], m_c[i], &nodes[i + 1]);
    nodes[count + 1].x = 1.0, nodes[count + 1].sign = p->c[n] > 0.0 ? 1 : -1,
                  nodes[count + 1].critical_multiplicity = 0;
    for (int i = 0; i <= count; ++i) {
        const node *left = &nodes[i], *right = left + 1;
        if (left->sign * right->sign < 0) {
            double guess = i > 0 && i < count ? guess_between(left, right)
                           : i > 0            ? guess_beyond(n, p, left, 1)
                           : i < count        ? guess_beyond(n, p, right, -1)
                                              : guess_monotone(p); /* a quartic always has a critical point */
            pieces[open++] = (piece){{left->x, right->x, left->sign}, guess, found};
            m[found++] = 1;
        } else if (right->sign == 0 && left->sign == 0) { /* a cluster goes on */
            x[found - 1] = 0.5 * (x[found - 1] + right->x);
            m[found - 1] += right->critical_multiplicity;
        } else if (right->sign == 0) {
            x[found] = right->x;
            m[found++] = right->critical_multiplicity + 1;
        }
    }
    solve_pieces(n, p, open, pieces, exact, x);
    return found;
}

static int roots_cubic(const poly *p, int exact, double *x, int *m)
{
    double c[2];
    int m_c[2];
    poly dp = derivative(3, p);
    int count = roots_quadratic(&dp, 0, c, m_c);
    return roots_between(3, p, &dp, count, c, m_c, exact, x, m);
}

static int roots_quartic(const poly *p, double *x, int *m)
{
    double c[3];
    int m_c[3];
    poly dp = derivative(4, p);
    int count = roots_cubic(&dp, 0, c, m_c);
    return roots_between(4, p, &dp, count, c, m_c, 1, x, m);
}

/* ------------------------------------------------------------------ scaling */

/* a 2^k, by a product where 2^k is a normal number. */
ALWAYS_INLINE double times_power_of_two(double a, int k)
{
    if (k < -1022 || k > 1023) return ldexp(a, k);
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return a * power;
}

/* The e of |a| = m 2^e, 1/2 <= m < 1. */
ALWAYS_INLINE int binary_exponent(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    int e = (int)(bits >> 52 & 0x7FF);
    if (e == 0) (void)frexp(a, &e), e += 1022;
    return e - 1022;
}

ALWAYS_INLINE int ceil_ratio(int a, int b)
{
    return a / b + (a % b > 0);
} /* C rounds towards zero */

/* The vertex of the Newton polygon between roots most different in size; -1 if none. exponent[i] = -100000 where
 * a_i = 0. In units of 1/12 bit all slopes are integers, so a shift of all roots by a power of two decides alike. */
static int widest_gap(int n, const int *exponent)
{
    int best = -1, widest = 0;
    for (int k = 1; k < n; ++k) {
        int small = INT32_MIN, large = INT32_MAX; /* log2 |x| of the roots below and above the vertex */
        for (int i = 0; i < k; ++i) {
            int slope = 12 / (k - i) * (exponent[i] - exponent[k]);
            if (slope > small) small = slope;
        }
        for (int i = k + 1; i <= n; ++i) {
            int slope = 12 / (i - k) * (exponent[k] - exponent[i]);
            if (slope < large) large = slope;
        }
        if (large > small && large - small > widest) best = k, widest = large - small;
    }
    return best;
}

static int insert_root(double root, int multiplicity, int found, double *x, int *m)
{
    int i = found;
    if (isinf(root)) return found;
    while (i > 0 && x[i - 1] > root) --i;
    if (i > 0 && x[i - 1] == root) {
        m[i - 1] += multiplicity;
        return found;
    }
    for (int k = found; k > i; --k) x[k] = x[k - 1], m[k] = m[k - 1];
    x[i] = root, m[i] = multiplicity;
    return found + 1;
}

/* Adds the roots of a_0 + ... + a_n x^n, a_0 and a_n not zero, n >= 1, to the `found` already in x and m. */
static int scaled_roots(int n, const double *a, int found, double *x, int *m)
{
    int exponent[POLY_MAX_DEGREE + 1] = {0}, s = INT32_MIN / 2;
    for (int i = 0; i <= n; ++i) exponent[i] = a[i] != 0.0 ? binary_exponent(a[i]) : -100000;
    for (int i = 0; i < n; ++i) {
        if (a[i] == 0.0) continue;
        int bound = ceil_ratio(exponent[i] - exponent[n] + 1, n - i) + 1;
        if (bound > s) s = bound;
    }
    if (exponent[0] - n * s - exponent[n] < -900) {
        int k = widest_gap(n, exponent);
        if (k > 0) {
            found = scaled_roots(k, a, found, x, m);
            return scaled_roots(n - k, a + k, found, x, m);
        }
    }
    poly p = {{0}, {0}};
    for (int i = 0; i <= n; ++i) p.c[i] = times_power_of_two(a[i], (i - n) * s - exponent[n]);
    double y[POLY_MAX_DEGREE];
    int y_m[POLY_MAX_DEGREE], count = 0;
    switch (n) {
    case 1: count = roots_linear(&p, y, y_m); break;
    case 2: count = roots_quadratic(&p, 1, y, y_m); break;
    case 3: count = roots_cubic(&p, 1, y, y_m); break;
    case 4: count = roots_quartic(&p, y, y_m); break;
    }
    for (int i = 0; i < count; ++i) found = insert_root(times_power_of_two(y[i], s), y_m[i], found, x, m);
    return found;
}

/* ------------------------------------------------------------------ the two doors */

int poly_roots(int degree, const double *a, double *roots, int *multiplicity)
{
    if (degree > POLY_MAX_DEGREE) return 0;
    for (int i = 0; i <= degree; ++i) {
        if (!isfinite(a[i])) return 0;
    }
    while (degree >= 0 && a[degree] == 0.0) --degree;
    if (degree < 0) return -1;
    int zeros = 0, found = 0, unwanted[POLY_MAX_DEGREE], *m = multiplicity ? multiplicity : unwanted;
    while (a[zeros] == 0.0) ++zeros; /* a[degree] is not zero */
    if (zeros > 0) found = insert_root(0.0, zeros, found, roots, m);
    return degree > zeros ? scaled_roots(degree - zeros, a + zeros, found, roots, m) : found;
}

double poly_eval(int degree, const double *a, double x, double *bound)
{
    double error, value = compensated(degree, a, NULL, x, &error);
    double lost = 0.0; /* products below 2^-968 lose their error term: up to 2^-1072 each */
    for (int i = degree - 1; i >= 0; --i) lost = lost * larger(fabs(x), 1.0) + 0x1p-1070;
    error += lost;
    if (!isfinite(error)) { /* x too large to split, or p(x) too large: the plain value is all there is */
        value = a[degree], error = HUGE_VAL;
        for (int i = degree - 1; i >= 0; --i) value = value * x + a[i];
    }
    if (bound) *bound = error;
    return value;
}
