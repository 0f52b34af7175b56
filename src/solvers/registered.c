/* registered.c: methods that a program adds to those of the library (scree_solver_register).
 *
 * A table that only grows: an entry is complete before the count that shows it, so finding needs no lock. A method of a user is a class
 * like any other, whose three functions call those of the user; limits, best point and final residual are the registry's. */
#include "solvers/solver_private.h"

#include "base/fail.h"
#include "base/lock.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { METHODS_MAX = 32, NAME_SIZE = 32, SUMMARY_SIZE = 160 };

typedef struct registered {
    scree_solver_class class_;
    scree_solver_method method;
    char name[NAME_SIZE], summary[SUMMARY_SIZE];
} registered;

static registered table[METHODS_MAX];
static atomic_int table_count;
static lock table_lock = LOCK_INITIAL; /* of those who add */

const scree_solver_class *registered_at(int index)
{
    return index >= 0 && index < atomic_load_explicit(&table_count, memory_order_acquire) ? &table[index].class_ : NULL;
}

const scree_solver_class *registered_find(const char *name)
{
    int count = atomic_load_explicit(&table_count, memory_order_acquire);
    for (int i = 0; i < count; ++i)
        if (strcmp(table[i].name, name) == 0) return &table[i].class_;
    return NULL;
}

/* ---- a user's method as a class ------------------------------------------------------------------------------------ */

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    const scree_solver_method *method = s->class_->method;
    scree_error own = {0}, *e = error ? error : &own;
    if (!method->create) return SCREE_OK;
    s->work = method->create(problem, &s->options, method->context, e);
    return e->status;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    s->class_->method->solve(s->work, problem, p, m);
}

static void destroy(scree_solver *s)
{
    if (s->work && s->class_->method->destroy) s->class_->method->destroy(s->work);
}

int scree_monitor_check(scree_monitor *m, int iterations, const double *p)
{
    m->iterations = iterations;
    return monitor_check(m, p);
}

const double *scree_monitor_velocity(const scree_monitor *m)
{
    return m->y;
}

/* ---- adding -------------------------------------------------------------------------------------------------------- */

scree_solver_method scree_solver_method_default(void)
{
    return (scree_solver_method){
        .cookie = SCREE_COOKIE, .takes_coulomb = 1, .takes_convex = 1, .default_iterations = 10000};
}

static int is_name(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    for (size_t i = 0; i < length; ++i)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') return 0;
    return length > 0 && length < NAME_SIZE;
}

/// Why the method cannot be added; NULL: it can.
static const char *fault_of(const scree_solver_method *method)
{
    if (!is_name(method->name)) return "its name must have 1 to 31 letters, digits or '_'";
    if (!method->summary || strlen(method->summary) >= SUMMARY_SIZE || strchr(method->summary, '\n'))
        return "it needs a summary of one line, at most 159 characters";
    if (!method->solve) return "it has no function to solve";
    if (!method->takes_coulomb && !method->takes_convex) return "it takes neither law";
    if (scree_solver_class_find(method->name)) return "there is one of that name already";
    if (atomic_load(&table_count) == METHODS_MAX)
        return "there are 32 registered methods, and there is no room for more";
    return NULL;
}

static void add(const scree_solver_method *method)
{
    registered *r = &table[atomic_load(&table_count)];
    snprintf(r->name, sizeof r->name, "%s", method->name);
    snprintf(r->summary, sizeof r->summary, "%s", method->summary);
    r->method = *method;
    r->method.name = r->name, r->method.summary = r->summary;
    r->class_ = (scree_solver_class){
        .name = r->name,
        .summary = r->summary,
        .laws = (method->takes_coulomb ? LAW_COULOMB : 0) | (method->takes_convex ? LAW_CONVEX : 0),
        .takes_bounds = method->takes_bounds != 0,
        .matrix_free = method->matrix_free != 0,
        .default_iterations = method->default_iterations,
        .create = create,
        .solve = solve,
        .destroy = destroy,
        .method = &r->method,
    };
    atomic_fetch_add_explicit(&table_count, 1, memory_order_release);
}

scree_status scree_solver_register(const scree_solver_method *method, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (!error_cookie(method->cookie, "scree_solver_method_default", error)) return SCREE_ERR_INPUT;
    lock_take(&table_lock);
    const char *fault = fault_of(method);
    if (!fault) add(method);
    lock_release(&table_lock);
    if (!fault) return SCREE_OK;
    scree_error_set(error, NULL, 0, 0, "the solver '%s' cannot be registered: %s", method->name ? method->name : "",
                    fault);
    return error_keep(error, SCREE_ERR_INPUT);
}
