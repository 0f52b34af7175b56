/* spheres_contact.h: the solution of sphere contacts, one in each lane (laws/sphere.h, without branches), and their residual.
 *
 * A quantity is a vector over LANES_WIDTH lanes (math/lanes.h), and a batch of eight is worked off in so many parts: what a part needs then
 * stays in registers. Lanes do not see each other, so the width does not matter; nor are products and sums contracted or fused: all
 * instruction sets give the same bits, also those that would have to call a function for a fused sum. At width 1 this is what a thread of a
 * device does (solvers/cuda). */
#ifndef SCREE_SOLVERS_SPHERES_SPHERES_CONTACT_H
#define SCREE_SOLVERS_SPHERES_SPHERES_CONTACT_H

#include "math/lanes.h"
#include "solvers/spheres/spheres_batch.h"

#define FOR_LANES(l) for (int l = 0; l < LANES_WIDTH; ++l) // NOLINT(bugprone-macro-parentheses): l is a name

/// |v|^2.
SCREE_HD_INLINE lanes square(const lanes v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

SCREE_HD_INLINE lanes length(const lanes v[3])
{
    return root(square(v));
}

/* ---- one contact per lane -------------------------------------------------------------------------------------------- */

/// Slide and roll of a contact: u_T = A x + c Z + bT, w_Z = B Z + c x + bZ, |x| <= R1, |Z| <= R2.
typedef struct slide_roll {
    lanes A, B, c, R1, R2, bT[3], bZ[3];
} slide_roll;

/// Slides and rolls at once, c != 0: Newton in (alpha, beta) on the lanes of `todo`, as sphere_slide_roll of laws/sphere.h. It starts
/// from the last load Z_old, where there is one: where the sweeps have settled one or two steps do.
SCREE_HD_INLINE void slide_and_roll(const slide_roll *k, const lanes Z_old[3], mask todo, lanes x[3], lanes Z[3])
{
    const lanes *bT = k->bT, *bZ = k->bZ, c = k->c;
    lanes u[3], w[3], size = length(Z_old), s = k->R2 / larger(size, all(1e-300));
    mask loaded = greater(size, all(0.0)), unfinished = todo;
    for (int i = 0; i < 3; ++i) u[i] = bT[i] + c * choose(loaded, s * Z_old[i], Z[i]);
    lanes alpha = larger(k->A, length(u) / k->R1);
    for (int i = 0; i < 3; ++i) w[i] = bZ[i] - c * u[i] / alpha;
    lanes beta = larger(k->B, length(w) / k->R2);
    for (int step = 0; step < 16 && bits_of(unfinished); ++step) {
        lanes f2 = all(0.0), g2 = f2, fb = f2, gb = f2;
        for (int i = 0; i < 3; ++i) {
            lanes f = beta * bT[i] - c * bZ[i], g = alpha * bZ[i] - c * bT[i];
            f2 += f * f, fb += f * bT[i], g2 += g * g, gb += g * bZ[i];
        }
        lanes D = alpha * beta - c * c, s1 = k->R1 / root(f2), s2 = k->R2 / root(g2);
        lanes h1 = s1 * D - 1.0, h2 = s2 * D - 1.0;
        lanes J11 = s1 * beta, J12 = s1 * (alpha - D * fb / f2), J21 = s2 * (beta - D * gb / g2), J22 = s2 * alpha;
        lanes inverse = 1.0 / (J11 * J22 - J12 * J21);
        lanes next_alpha = alpha - (J22 * h1 - J12 * h2) * inverse, next_beta = beta - (J11 * h2 - J21 * h1) * inverse;
        next_alpha = choose(greater(k->A, next_alpha), 0.5 * (alpha + k->A), next_alpha);
        next_beta = choose(greater(k->B, next_beta), 0.5 * (beta + k->B), next_beta);
        alpha = choose(unfinished, next_alpha, alpha), beta = choose(unfinished, next_beta, beta);
        /* quadratic: the step just taken is exact */
        unfinished = both(unfinished, greater(larger(size_of(h1), size_of(h2)), all(1e-8)));
    }
    for (int i = 0; i < 3; ++i) u[i] = beta * bT[i] - c * bZ[i], w[i] = alpha * bZ[i] - c * bT[i];
    lanes to_x = -k->R1 / length(u), to_Z = -k->R2 / length(w);
    for (int i = 0; i < 3; ++i) x[i] = choose(todo, to_x * u[i], x[i]), Z[i] = choose(todo, to_Z * w[i], Z[i]);
}

/// What a friction velocity of size g is multiplied by: -1/A inside the rim R, -R/g on it.
SCREE_HD_INLINE lanes clamp(lanes A, lanes R, lanes g)
{
    mask on_rim = greater(g, A * R);
    return choose(on_rim, -R, all(-1.0)) / choose(on_rim, g, A); /* one division */
}

/// Slide and roll each by itself: clamps, exact where nothing couples them.
SCREE_HD_INLINE void single_loads(const slide_roll *k, lanes x[3], lanes Z[3])
{
    lanes to_x = clamp(k->A, k->R1, length(k->bT)), to_Z = clamp(k->B, k->R2, length(k->bZ));
    for (int i = 0; i < 3; ++i) x[i] = to_x * k->bT[i], Z[i] = to_Z * k->bZ[i];
}

/// Slide and roll coupled by c: the three closed forms, then Newton on the lanes that need it. Lanes where one of the two loads must
/// vanish (radius 0) are solved by themselves, and where both must there is none. Divisions and roots are a third of the time here:
/// one of each per divisor, and none where a square decides.
SCREE_HD_INLINE void coupled_loads(const slide_roll *k, const lanes Z_old[3], lanes x[3], lanes Z[3])
{
    const lanes *bT = k->bT, *bZ = k->bZ, A = k->A, B = k->B, c = k->c, R1 = k->R1, R2 = k->R2;
    lanes zero = all(0.0);
    mask couples = greater(R1 * R2 * size_of(c), zero), single = but_not(greater(R1 + R2, zero), couples);
    lanes f[3], g[3], xs[3], zs[3];
    for (int i = 0; i < 3; ++i) f[i] = B * bT[i] - c * bZ[i], g[i] = A * bZ[i] - c * bT[i];
    lanes F = length(f), G = length(g), inverse_A = 1.0 / A, inverse_B = 1.0 / B, inverse = 1.0 / (A * B - c * c);
    lanes on_rim1 = R1 / larger(F, all(1e-300)), on_rim2 = R2 / larger(G, all(1e-300));
    for (int i = 0; i < 3; ++i) {
        zs[i] = (c * on_rim1 * f[i] - bZ[i]) * inverse_B; /* Z where only sliding is on its rim */
        xs[i] = (c * on_rim2 * g[i] - bT[i]) * inverse_A; /* x where only rolling is            */
    }
    mask slides = greater(F * inverse, R1), rolls = greater(G * inverse, R2);
    mask slides_only = but_not(slides, greater(square(zs), R2 * R2)),
         rolls_only = but_not(but_not(rolls, slides_only), greater(square(xs), R1 * R1));
    mask todo = but_not(both(couples, either(slides, rolls)), either(slides_only, rolls_only));
    lanes to_f = -choose(slides_only, on_rim1, inverse), to_g = -choose(rolls_only, on_rim2, inverse);
    for (int i = 0; i < 3; ++i) {
        x[i] = only(couples, choose(rolls_only, xs[i], to_f * f[i]));
        Z[i] = only(couples, choose(slides_only, zs[i], to_g * g[i]));
    }
    if (bits_of(single)) {
        single_loads(k, f, g);
        for (int i = 0; i < 3; ++i) x[i] = choose(single, f[i], x[i]), Z[i] = choose(single, g[i], Z[i]);
    }
    if (bits_of(todo)) slide_and_roll(k, Z_old, todo, x, Z);
}

/// The normal load of the convex law and, as s_k, what each friction velocity b_k is multiplied by: the projection on the cone in the
/// metric diag(W, A, B, S). With g_k = |b_k| the load solves  W r + b_N = sum over k of mu_k max(0, g_k - A_k mu_k r): all rims
/// are taken as reached, and those whose load is inside are dropped; r only grows, so three passes do (laws/cone.h).
SCREE_HD_INLINE lanes convex_loads(lanes b_N, lanes W, const lanes A[3], const lanes g[3], const lanes mu[3],
                                   lanes s[3])
{
    lanes r = all(0.0), zero = r;
    mask on[3] = {of_bits(~0u), of_bits(~0u), of_bits(~0u)};
    for (int pass = 0; pass < 4; ++pass) {
        lanes num = -b_N, den = W;
        for (int k = 0; k < 3; ++k) {
            lanes mu_k = only(on[k], mu[k]);
            num += mu_k * g[k], den += mu_k * mu_k * A[k];
        }
        r = only(greater(num, zero), num / den);
        for (int k = 0; k < 3; ++k) on[k] = both(on[k], greater(g[k], A[k] * mu[k] * r));
    }
    for (int k = 0; k < 3; ++k) s[k] = clamp(A[k], mu[k] * r, g[k]);
    return r;
}

/* ---- bodies ---------------------------------------------------------------------------------------------------------- */

/* Bodies are cache lines of eight numbers; contacts want one number of every body in a vector. Moving them entry by entry would be a
 * third of the time of a batch: squares of LANES_WIDTH numbers are transposed. */

/// The numbers of a body.
enum { V = 0, OMEGA = 3, MASS = 6, INERTIA = 7, NUMBERS = 8 };

SCREE_HD_INLINE void read_bodies(const sphere_body *body, const int *index, lanes number[NUMBERS])
{
#if defined(__CUDA_ARCH__) /* two numbers at a time */
    const double2 *from = (const double2 *)&body[*index];
    for (int i = 0; i < NUMBERS / 2; ++i) number[2 * i] = from[i].x, number[2 * i + 1] = from[i].y;
#else
    for (int i = 0; i < NUMBERS; i += LANES_WIDTH) {
        lanes line[LANES_WIDTH];
        FOR_LANES (l) line[l] = get((const double *)&body[index[l]] + i);
        transpose(line, number + i);
    }
#endif
}

/// Bodies that do not move are left alone: several contacts, and threads, may have them at once.
SCREE_HD_INLINE void add_to_bodies(const lanes change[NUMBERS], const int *index, int body_count, sphere_body *body)
{
#if defined(__CUDA_ARCH__)
    double2 *to = (double2 *)&body[*index];
    for (int i = 0; i < MASS / 2 && *index < body_count; ++i) {
        double2 two = to[i];
        two.x += change[2 * i], two.y += change[2 * i + 1];
        to[i] = two;
    }
#else
    for (int i = 0; i < NUMBERS; i += LANES_WIDTH) {
        lanes line[LANES_WIDTH];
        transpose(change + i, line);
        FOR_LANES (l) {
            double *numbers = (double *)&body[index[l]] + i;
            if (index[l] < body_count) put(numbers, get(numbers) + line[l]);
        }
    }
#endif
}

/// What contacts see of their bodies: relative velocities, inverse masses and inertias.
typedef struct bodies_seen {
    lanes u_N, w_S, u_T[3], w_Z[3];
    lanes m_a, m_b, I_a, I_b;
} bodies_seen;

/// A batch from lane `at` on, with what belongs to it.
typedef struct batch_part {
    const sphere_batch *batch;
    const sphere_special *special; /* or NULL */
    int at;
    lanes n[3], r_a, r_b;
} batch_part;

SCREE_HD_INLINE batch_part part_of(const sphere_batch *batch, const sphere_special *special, int at)
{
    batch_part k;
    k.batch = batch, k.special = special, k.at = at;
    for (int i = 0; i < 3; ++i) k.n[i] = get(batch->n[i] + at);
    k.r_a = get(batch->r_a + at), k.r_b = get(batch->r_b + at);
    return k;
}

/// out = a x b.
SCREE_HD_INLINE void cross(const lanes a[3], const lanes b[3], lanes out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

SCREE_HD_INLINE void gather(const batch_part *k, const sphere_body *body, bodies_seen *s)
{
    lanes a[NUMBERS], b[NUMBERS], d[3], turn[3], e[3];
    const lanes *n = k->n;
    read_bodies(body, k->batch->a + k->at, a);
    read_bodies(body, k->batch->b + k->at, b);
    for (int i = 0; i < 3; ++i) {
        d[i] = b[V + i] - a[V + i], e[i] = b[OMEGA + i] - a[OMEGA + i];
        turn[i] = k->r_b * b[OMEGA + i] + k->r_a * a[OMEGA + i];
    }
    lanes u_n = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
    s->u_N = u_n + get(k->batch->s_N + k->at), s->w_S = n[0] * e[0] + n[1] * e[1] + n[2] * e[2];
    cross(n, turn, s->u_T), cross(n, e, s->w_Z);
    for (int i = 0; i < 3; ++i) s->u_T[i] = d[i] - u_n * n[i] + s->u_T[i];
    s->m_a = a[MASS], s->m_b = b[MASS], s->I_a = a[INERTIA], s->I_b = b[INERTIA];
    if (!k->special) return;
    for (int i = 0; i < 3; ++i) {
        s->u_T[i] += get(k->special->s[i] + k->at), s->w_Z[i] += get(k->special->s[3 + i] + k->at);
    }
    s->w_S += get(k->special->s[6] + k->at);
}

/// Moves the bodies by a change p of the loads: impulse r = N n + x on b at -r_b n; moment m = S n - n x Z:
///     dv_b = r/m_b, dw_b = (-r_b n x x + m)/I_b;   dv_a = -r/m_a, dw_a = (-r_a n x x - m)/I_a
SCREE_HD_INLINE void scatter(const batch_part *k, const bodies_seen *s, const lanes p[LOAD_SIZE], sphere_body *body,
                             int body_count)
{
    lanes a[NUMBERS], b[NUMBERS], twist[3], m[3];
    a[MASS] = a[INERTIA] = b[MASS] = b[INERTIA] = all(0.0);
    cross(k->n, p + 1, twist), cross(k->n, p + 4, m);
    for (int i = 0; i < 3; ++i) {
        lanes r = p[0] * k->n[i] + p[1 + i];
        m[i] = p[7] * k->n[i] - m[i];
        a[V + i] = -(s->m_a * r), b[V + i] = s->m_b * r;
        a[OMEGA + i] = -(s->I_a * (k->r_a * twist[i] + m[i])), b[OMEGA + i] = -(s->I_b * (k->r_b * twist[i] - m[i]));
    }
    add_to_bodies(a, k->batch->a + k->at, body_count, body);
    add_to_bodies(b, k->batch->b + k->at, body_count, body);
}

/* ---- batches --------------------------------------------------------------------------------------------------------- */

/// W_cc without compliance, and compliance of N, T, R, S.
typedef struct local_matrix {
    lanes m, A, I, c, soft[4];
} local_matrix;

/// Convex law: r_N, x, Z, m_S by one step in the metric diag(W, t A, t B, S). t = 1 where nothing couples slide and roll, and the step
/// is the solution; else t = 1 + |c|/(A B)^1/2 makes the metric larger than W_cc: the objective falls.
SCREE_HD_INLINE void solve_convex(const local_matrix *w, const bodies_seen *v, const lanes mu[3],
                                  const lanes p[LOAD_SIZE], lanes out[LOAD_SIZE])
{
    lanes A = w->A + w->soft[1], B = w->I + w->soft[2], S = w->I + w->soft[3], t = 1.0 + size_of(w->c) / root(A * B);
    lanes metric[3] = {t * A, t * B, S}, g[3], s[3], bT[3], bZ[3], b_S = v->w_S - w->I * p[7];
    for (int i = 0; i < 3; ++i) {
        bT[i] = v->u_T[i] - (metric[0] - w->soft[1]) * p[1 + i];
        bZ[i] = v->w_Z[i] - (metric[1] - w->soft[2]) * p[4 + i];
    }
    g[0] = length(bT), g[1] = length(bZ), g[2] = size_of(b_S);
    out[0] = convex_loads(v->u_N - w->m * p[0], w->m + w->soft[0], metric, g, mu, s);
    for (int i = 0; i < 3; ++i) out[1 + i] = s[0] * bT[i], out[4 + i] = s[1] * bZ[i];
    out[7] = s[2] * b_S;
}

/// Coulomb law: the exact solution. r_N and m_S see nothing else; slide and roll are clamps where nothing couples them.
SCREE_HD_INLINE void solve_coulomb(const local_matrix *w, const bodies_seen *v, const lanes mu[3], int coupled,
                                   const lanes p[LOAD_SIZE], lanes out[LOAD_SIZE])
{
    lanes r = (w->m * p[0] - v->u_N) / (w->m + w->soft[0]), m = (w->I * p[7] - v->w_S) / (w->I + w->soft[3]);
    out[0] = only(greater(r, all(0.0)), r);
    lanes R3 = mu[2] * out[0];
    m = choose(greater(m, R3), R3, m), out[7] = choose(greater(-R3, m), -R3, m);
    slide_roll k;
    k.A = w->A + w->soft[1], k.B = w->I + w->soft[2], k.c = w->c, k.R1 = mu[0] * out[0], k.R2 = mu[1] * out[0];
    for (int i = 0; i < 3; ++i) {
        k.bT[i] = v->u_T[i] - w->A * p[1 + i] - w->c * p[4 + i];
        k.bZ[i] = v->w_Z[i] - w->I * p[4 + i] - w->c * p[1 + i];
    }
    if (coupled) coupled_loads(&k, p + 4, out + 1, out + 4);
    else single_loads(&k, out + 1, out + 4);
}

/// The solution of a part from loads extrapolated by beta: now plus beta times their change from those of before, which `next` has; it
/// is left in `next`, and moves the bodies. `coupled`: some have c != 0. Returns dp' W_cc dp.
SCREE_HD_INLINE lanes solve_part(const batch_part *k, scree_law law, int coupled, double beta, sphere_body *body,
                                 int body_count, const sphere_loads *now, sphere_loads *next)
{
    bodies_seen s;
    local_matrix w;
    lanes mu[3], p[LOAD_SIZE], out[LOAD_SIZE];
    gather(k, body, &s);
    w.m = s.m_a + s.m_b, w.I = s.I_a + s.I_b, w.c = k->r_b * s.I_b - k->r_a * s.I_a;
    w.A = w.m + k->r_a * k->r_a * s.I_a + k->r_b * k->r_b * s.I_b;
    for (int i = 0; i < 4; ++i) w.soft[i] = k->special ? get(k->special->soft[i] + k->at) : all(0.0);
    for (int i = 0; i < 3; ++i) mu[i] = get(k->batch->mu[i] + k->at);
    for (int i = 0; i < LOAD_SIZE; ++i) {
        p[i] = get(now->p[i] + k->at);
        p[i] += beta * (p[i] - get(next->p[i] + k->at));
    }
    if (law == SCREE_LAW_COULOMB) solve_coulomb(&w, &s, mu, coupled, p, out);
    else solve_convex(&w, &s, mu, p, out);
    for (int i = 0; i < LOAD_SIZE; ++i) {
        put(next->p[i] + k->at, out[i]);
        p[i] = out[i] - p[i];
    }
    scatter(k, &s, p, body, body_count);
    lanes change = (w.m + w.soft[0]) * p[0] * p[0] + (w.I + w.soft[3]) * p[7] * p[7];
    for (int i = 1; i <= 3; ++i)
        change +=
            (w.A + w.soft[1]) * p[i] * p[i] + 2.0 * w.c * p[i] * p[3 + i] + (w.I + w.soft[2]) * p[3 + i] * p[3 + i];
    return change;
}

/// The bodies by the loads of a part.
SCREE_HD_INLINE void push_part(const batch_part *k, const sphere_loads *loads, sphere_body *body, int body_count)
{
    bodies_seen s;
    lanes p[LOAD_SIZE];
    gather(k, body, &s);
    for (int i = 0; i < LOAD_SIZE; ++i) p[i] = get(loads->p[i] + k->at);
    scatter(k, &s, p, body, body_count);
}

/// The lanes whose flags have bit k.
SCREE_HD_INLINE mask lanes_with(const unsigned char *flags, int k)
{
    unsigned bits = 0;
    FOR_LANES (l) bits |= (unsigned)(flags[l] >> k & 1) << l;
    return of_bits(bits);
}

/// |p - proj(p - yhat)|^2, |p|^2, |y|^2, lane by lane.
SCREE_HD_INLINE void check_part(const batch_part *k, scree_law law, const sphere_body *body, const sphere_loads *loads,
                                lanes sums[3])
{
    bodies_seen s;
    lanes p[LOAD_SIZE], mu[3], x[3], z[3], one = all(1.0), metric[3] = {one, one, one}, g[3], scale[3];
    const unsigned char *flags = k->batch->flags + k->at;
    gather(k, body, &s);
    for (int i = 0; i < LOAD_SIZE; ++i) p[i] = get(loads->p[i] + k->at);
    for (int i = 0; i < 3; ++i) mu[i] = get(k->batch->mu[i] + k->at);
    if (k->special) {
        const double(*soft)[LANES] = k->special->soft;
        s.u_N += get(soft[0] + k->at) * p[0], s.w_S += get(soft[3] + k->at) * p[7];
        for (int i = 0; i < 3; ++i) {
            s.u_T[i] += get(soft[1] + k->at) * p[1 + i];
            s.w_Z[i] += get(soft[2] + k->at) * p[4 + i];
        }
    }
    /* a mechanism that is absent has no rows */
    lanes u2 = only(lanes_with(flags, 0), square(s.u_T)), w2 = only(lanes_with(flags, 1), square(s.w_Z));
    s.w_S = only(lanes_with(flags, 2), s.w_S);
    sums[2] = s.u_N * s.u_N + u2 + w2 + s.w_S * s.w_S;
    lanes slip = mu[0] * root(u2) + mu[1] * root(w2) + mu[2] * size_of(s.w_S);
    for (int i = 0; i < 3; ++i) x[i] = p[1 + i] - s.u_T[i], z[i] = p[4 + i] - s.w_Z[i];
    g[0] = length(x), g[1] = length(z), g[2] = size_of(p[7] - s.w_S);
    lanes b_N = law == SCREE_LAW_COULOMB ? s.u_N + slip - p[0] : s.u_N - p[0];
    lanes r = convex_loads(b_N, one, metric, g, mu, scale);
    lanes dN = p[0] - r, dS = p[7] + scale[2] * (p[7] - s.w_S);
    sums[0] = dN * dN + dS * dS, sums[1] = p[0] * p[0] + p[7] * p[7];
    for (int i = 0; i < 3; ++i) {
        lanes dx = p[1 + i] + scale[0] * x[i], dz = p[4 + i] + scale[1] * z[i];
        sums[0] += dx * dx + dz * dz, sums[1] += p[1 + i] * p[1 + i] + p[4 + i] * p[4 + i];
    }
}

#endif
