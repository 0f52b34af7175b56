/* laws.c: the public doors of the laws: cones by name, and the inline kernels of cone.h and maps.h behind them. */
#include "laws/maps.h"

scree_cone scree_cone_planar(double mu)
{
    return (scree_cone){{1, 0, 0}, {mu, 0.0, 0.0}};
}

scree_cone scree_cone_planar_roll(double mu, double rho)
{
    return (scree_cone){{1, 1, 0}, {mu, rho, 0.0}};
}

scree_cone scree_cone_slide(double mu)
{
    return (scree_cone){{2, 0, 0}, {mu, 0.0, 0.0}};
}

scree_cone scree_cone_slide_spin(double mu, double sigma)
{
    return (scree_cone){{2, 0, 1}, {mu, 0.0, sigma}};
}

scree_cone scree_cone_slide_roll(double mu, double rho)
{
    return (scree_cone){{2, 2, 0}, {mu, rho, 0.0}};
}

scree_cone scree_cone_slide_roll_spin(double mu, double rho, double sigma)
{
    return (scree_cone){{2, 2, 1}, {mu, rho, sigma}};
}

int scree_cone_dim(const scree_cone *cone)
{
    return cone_dim(cone);
}

int scree_cone_valid(const scree_cone *cone)
{
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
        if (cone->size[k] < 0 || cone->size[k] > (k == SCREE_FRICTION_SPIN ? 1 : 2)) return 0;
        if (cone->size[k] && !(cone->coef[k] >= 0.0 && cone->coef[k] <= DBL_MAX)) return 0;
    }
    return 1;
}

scree_projection scree_cone_project(const scree_cone *cone, const double *x, double *p)
{
    return cone_project(cone, x, p);
}

scree_projection scree_dual_project(const scree_cone *cone, const double *x, double *y)
{
    return dual_project(cone, x, y);
}

scree_projection scree_cone_project_derivative(const scree_cone *cone, const double *x, double *D)
{
    return cone_project_derivative(cone, x, D);
}

void scree_de_saxce(const scree_cone *cone, const double *y, double *yhat)
{
    double shift = slip_speed(cone, y);
    for (int i = 0, dim = cone_dim(cone); i < dim; ++i) yhat[i] = y[i];
    yhat[0] += shift;
}

void scree_map_natural(const scree_cone *cone, scree_law law, double step, const double *p, const double *y, double *F,
                       double *A, double *B)
{
    map_natural(cone, law, step, p, y, F, A, B);
}

void scree_map_alart_curnier(const scree_cone *cone, scree_law law, double step, const double *p, const double *y,
                             double *F, double *A, double *B)
{
    map_alart_curnier(cone, law, step, p, y, F, A, B);
}

int scree_map_fischer_burmeister(const scree_cone *cone, scree_law law, const double *p, const double *y,
                                 const double *lam, double *F, double *A, double *B, double *C)
{
    return map_fischer_burmeister(cone, law, p, y, lam, F, A, B, C);
}

double scree_bipotential(const scree_cone *cone, const double *y, const double *p, double slack)
{
    double shift = slip_speed(cone, y), speed = fabs(y[0]) + shift;
    if (y[0] < -slack * speed || p[0] < 0.0) return SCREE_INFINITY;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++])
        if (cone->size[k] && group_norm(cone->size[k], p + at) > cone->coef[k] * p[0] * (1.0 + slack))
            return SCREE_INFINITY;
    return shift * p[0];
}

void scree_dissipation(const scree_cone *cone, const double *y, const double *p, double power[SCREE_FRICTION_KINDS])
{
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
        power[k] = 0.0;
        for (int i = 0; i < cone->size[k]; ++i) power[k] -= y[at + i] * p[at + i];
    }
}

scree_mode scree_mode_make(int sliding, int rolling, int spin_sign)
{
    return mode_make(sliding, rolling, spin_sign);
}

int scree_mode_moves(scree_mode mode, int kind)
{
    return mode_moves(mode, kind);
}

const char *scree_mode_name(scree_mode mode)
{
    static const char *const names[SCREE_MODE_COUNT] = {"take_off",
                                                        "stick",
                                                        "slide",
                                                        "roll",
                                                        "slide+roll",
                                                        "spin_plus",
                                                        "slide+spin_plus",
                                                        "roll+spin_plus",
                                                        "slide+roll+spin_plus",
                                                        "spin_minus",
                                                        "slide+spin_minus",
                                                        "roll+spin_minus",
                                                        "slide+roll+spin_minus"};
    return mode >= 0 && mode < SCREE_MODE_COUNT ? names[mode] : "unknown";
}

scree_mode scree_mode_classify(const scree_cone *cone, double step, const double *p, const double *y)
{
    return mode_classify(cone, step, p, y);
}
