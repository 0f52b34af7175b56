/* page_state.h: what replays (report_frames.c) and live pages (cli/live) say of bodies and contacts; the page knows it by report/data.js. */
#ifndef SCREE_CLI_REPORT_PAGE_STATE_H
#define SCREE_CLI_REPORT_PAGE_STATE_H

#include <scree/result.h>

#include <math.h>

enum { HOLLOW_SLICES = 64 }; /* around the axis of a tube or a bowl */
enum { STATE_ABSENT = 0, STATE_DYNAMIC, STATE_FIXED, STATE_DRIVEN };

static inline int page_body_state(unsigned char kind)
{
    return kind == SCREE_BODY_REMOVED   ? STATE_ABSENT
           : kind == SCREE_BODY_DYNAMIC ? STATE_DYNAMIC
           : kind == SCREE_BODY_FIXED   ? STATE_FIXED
                                        : STATE_DRIVEN;
}

/// Columns of contacts: what the page calls them. The first COMPACT_REALS are always there.
enum { CONTACT_REALS = 10, COMPACT_REALS = 3 };
static const char *const contact_names[CONTACT_REALS] = {
    "normal_force", "friction_force", "gap",       "rolling_moment", "spinning_moment",
    "normal_speed", "slip_speed",     "roll_rate", "spin_rate",      "friction"};

/// `h`: length of the step whose impulses the contact has.
static inline double contact_real(const scree_contact_point *t, double h, int column)
{
    double rate = h > 0.0 ? 1.0 / h : 0.0;
    const double *p = t->impulse, *u = t->velocity;
    switch (column) {
    case 0: return rate * p[0];
    case 1: return rate * hypot(p[1], p[2]);
    case 2: return t->gap;
    case 3: return rate * hypot(p[3], p[4]);
    case 4: return rate * fabs(p[5]);
    case 5: return u[0];
    case 6: return hypot(u[1], u[2]);
    case 7: return hypot(u[3], u[4]);
    case 8: return fabs(u[5]);
    default: return t->cone.coef[0];
    }
}

/// Of a contact, the body whose motion carries its point along.
static inline int contact_anchor(const scree_contact_point *t, const unsigned char *kind)
{
    return kind[t->body_b] == SCREE_BODY_DYNAMIC ? t->body_b : t->body_a;
}

#endif
