/* contact.h: what the one-contact solvers share: each takes a valid contact and fills a result. Private to src/laws and above. */
#ifndef SCREE_LAWS_CONTACT_H
#define SCREE_LAWS_CONTACT_H

#include "laws/form.h"
#include "laws/sphere.h"

/// Fills y, mode, residual from p; the mode by classification. `moving` (bits by mechanism; NULL: classify) comes from solvers
/// that know their active set.
void contact_finish(const scree_contact *contact, const unsigned *moving, scree_contact_result *result);

/// Pieces of exact.c that the quartics use too. Stick: p = -W^-1 q, 1 if it lies in K. Polish: Newton on the multipliers from
/// those of p, kept only if it arrives at the same root. Deliver: scaled solution to result, loads that slip put on their rims.
int form_solve_stick(const contact_form *f, form_solution *p);
void form_polish(const contact_form *f, scree_law law, form_solution *p);
void form_deliver(const scree_contact *contact, const contact_form *f, const form_solution *p,
                  scree_contact_result *result);
void deliver_take_off(const scree_contact *contact, scree_contact_result *result);

void contact_solve_exact(const scree_contact *contact, const double *guess, int isolate, scree_contact_result *result);
/// A contact whose W stays while q changes, as in sweeps: everything that depends on W done once, multipliers kept as warm start.
typedef struct prepared_contact {
    scree_cone cone;
    scree_law law;
    double W[SCREE_DIM_MAX * SCREE_DIM_MAX]; /* as given */
    contact_form form;
    sphere_form sphere;
    int spheres, warm;
    double a[SCREE_FRICTION_KINDS];
} prepared_contact;

void contact_prepare(const scree_contact *contact, prepared_contact *c);
/// p = the solution for q (any one of several). 0 if there is none; p is then untouched.
int contact_solve_prepared(prepared_contact *c, const double *q, double *p);

int contact_is_unique(const scree_contact *contact, const contact_form *f);
int contact_solve_exact_all(const scree_contact *contact, int capacity, scree_contact_result *results);

/// `alpha_form`: 0 section 3 (t), 1 section 4 (alpha) of [BD]. Returns how many solutions exist; fills at most capacity.
int contact_solve_quartic(const scree_contact *contact, int alpha_form, int capacity, scree_contact_result *results);

void contact_solve_projection(const scree_contact *contact, const scree_contact_options *options, const double *guess,
                              scree_contact_result *result);
void contact_solve_newton(const scree_contact *contact, const scree_contact_options *options, const double *guess,
                          scree_contact_result *result);

/// scree_contact_solve with the guess apart from the options: what sweeps call.
scree_status contact_solve(const scree_contact *contact, const scree_contact_options *options, const double *guess,
                           scree_contact_result *result);

/// s = dim/trace(W) [kg]: the step of the residual and of the maps; 1 if W is 0.
double contact_step(const scree_contact *contact);

#endif
