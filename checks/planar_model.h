/* planar_model.h: a machine in a plane by its own few coordinates, for rows whose published reference is rough: it shares nothing with scree.
 *
 *     M(q) dv = f(q, v) dt + sum over contacts of (w_N dP_N + w_T dP_T),   q' = v
 * Contacts: w_N.v+ = -e w_N.v- where they close, |P_T| <= mu P_N (Coulomb). Steps: the mean of both ends for smooth forces (three iterations),
 * contacts at the middle of the step (Moreau), by sweeps over them to 1e-13. Order 1 in h because of the impacts, like every stepping scheme. */
#ifndef SCREE_CHECKS_PLANAR_MODEL_H
#define SCREE_CHECKS_PLANAR_MODEL_H

#include <math.h>
#include <string.h>

enum { MODEL_COORDINATES = 3, MODEL_CONTACTS = 3 };

typedef struct model_contact {
    double gap, normal[MODEL_COORDINATES],
        tangent[MODEL_COORDINATES]; /* gap's gradient; that of the way along the surface */
    double restitution, friction;
} model_contact;

typedef struct planar_model {
    int coordinates, contacts;
    void (*mass)(const double *q, double M[MODEL_COORDINATES][MODEL_COORDINATES]);
    void (*force)(const double *q, const double *v, double *f);
    void (*contact)(const double *q, model_contact *c);
} planar_model;

/// x = M^-1 b by elimination: M is small, symmetric and positive.
static inline void model_solve(int n, double M[MODEL_COORDINATES][MODEL_COORDINATES], const double *b, double *x)
{
    double A[MODEL_COORDINATES][MODEL_COORDINATES];
    memcpy(A, M, sizeof A);
    for (int i = 0; i < n; ++i) x[i] = b[i];
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
            double s = A[j][i] / A[i][i];
            for (int k = i; k < n; ++k) A[j][k] -= s * A[i][k];
            x[j] -= s * x[i];
        }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) x[i] -= A[i][k] * x[k];
        x[i] /= A[i][i];
    }
}

static inline double model_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// v += change of the impulse along w; returns the new impulse.
static inline double model_push(int n, const double *Mw, double impulse, double wanted, double *v)
{
    for (int i = 0; i < n; ++i) v[i] += (wanted - impulse) * Mw[i];
    return wanted;
}

static inline void model_step(const planar_model *m, double h, double *q, double *v)
{
    const int n = m->coordinates;
    double mid[MODEL_COORDINATES], M[MODEL_COORDINATES][MODEL_COORDINATES], f[MODEL_COORDINATES], a[MODEL_COORDINATES],
        mean[MODEL_COORDINATES], u[MODEL_COORDINATES], P[2][MODEL_CONTACTS] = {{0.0}};
    double Mn[MODEL_CONTACTS][MODEL_COORDINATES], Mt[MODEL_CONTACTS][MODEL_COORDINATES];
    model_contact c[MODEL_CONTACTS];
    for (int i = 0; i < n; ++i) mid[i] = q[i] + 0.5 * h * v[i], u[i] = v[i];
    m->mass(mid, M);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < n; ++i) mean[i] = 0.5 * (v[i] + u[i]);
        m->force(mid, mean, f);
        model_solve(n, M, f, a);
        for (int i = 0; i < n; ++i) u[i] = v[i] + h * a[i];
    }
    m->contact(mid, c);
    for (int k = 0; k < m->contacts; ++k) model_solve(n, M, c[k].normal, Mn[k]), model_solve(n, M, c[k].tangent, Mt[k]);
    for (int sweep = 0; sweep < 2000; ++sweep) {
        double change = 0.0;
        for (int k = 0; k < m->contacts; ++k) {
            if (c[k].gap > 0.0) continue;
            const double before = P[0][k], slid = P[1][k], approach = fmin(model_dot(n, c[k].normal, v), 0.0);
            const double rate = model_dot(n, c[k].normal, u) + c[k].restitution * approach;
            P[0][k] = model_push(n, Mn[k], before, fmax(before - rate / model_dot(n, c[k].normal, Mn[k]), 0.0), u);
            const double bound = c[k].friction * P[0][k];
            const double stick = slid - model_dot(n, c[k].tangent, u) / model_dot(n, c[k].tangent, Mt[k]);
            P[1][k] = model_push(n, Mt[k], slid, fmin(fmax(stick, -bound), bound), u);
            change = fmax(change, fabs(P[0][k] - before) + fabs(P[1][k] - slid));
        }
        if (change < 1e-16) break;
    }
    for (int i = 0; i < n; ++i) q[i] += 0.5 * h * (v[i] + u[i]), v[i] = u[i];
}

#endif
