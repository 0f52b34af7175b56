/* boxes.c: positions of bodies from lever arms, and boxes by bisection (boxes.h). */
#include "solvers/boxes.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

/* ---- positions ----------------------------------------------------------------------------------------------------- */

/// The root of a body's tree; the body's link, x from its parent, is then one from the root.
static int root_of(int *root, double *x, int b)
{
    int top = b;
    double from_top[3] = {0.0, 0.0, 0.0};
    while (root[top] != top) {
        vec_add_scaled(from_top, 1.0, x + 3 * (size_t)top, from_top);
        top = root[top];
    }
    while (b != top && root[b] != top) { /* shorten: every link on the way comes from the top */
        int next = root[b];
        double link[3], *x_b = x + 3 * (size_t)b;
        memcpy(link, x_b, sizeof link), memcpy(x_b, from_top, sizeof link);
        vec_sub(from_top, link, from_top);
        root[b] = top, b = next;
    }
    return top;
}

void bodies_locate(const scree_problem *problem, const scree_rigid_contact *contact, int *root, double *x)
{
    for (int b = 0; b < problem->body_count; ++b) root[b] = b;
    memset(x, 0, 3 * (size_t)problem->body_count * sizeof *x);
    for (int c = 0; c < problem->contact_count; ++c) { /* a union-find whose links carry differences */
        const scree_rigid_contact *k = &contact[c];
        if (k->body_a < 0 || k->body_b < 0) continue;
        int a = root_of(root, x, k->body_a), b = root_of(root, x, k->body_b);
        if (a == b) continue;
        const double *x_a = x + 3 * (size_t)k->body_a, *x_b = x + 3 * (size_t)k->body_b; /* 0 of a root */
        double link[3];
        for (int i = 0; i < 3; ++i) link[i] = x_a[i] + k->arm_a[i] - k->arm_b[i] - x_b[i];
        memcpy(x + 3 * (size_t)b, link, sizeof link);
        root[b] = a;
    }
    for (int b = 0; b < problem->body_count; ++b) root_of(root, x, b);
}

/* ---- boxes --------------------------------------------------------------------------------------------------------- */

/// Parts that do not hang together, side by side along the first axis. `extent` (2 per body): least and most x of a part, at its root.
static void line_up(int count, const int *root, double *extent, double *x)
{
    double end = 0.0;
    for (int b = 0; b < count; ++b) extent[2 * (size_t)b] = extent[2 * (size_t)b + 1] = 0.0; /* the root is at 0 */
    for (int b = 0; b < count; ++b) {
        double *of_part = extent + 2 * (size_t)root[b], at = x[3 * (size_t)b];
        if (at < of_part[0]) of_part[0] = at;
        if (at > of_part[1]) of_part[1] = at;
    }
    for (int b = 0; b < count; ++b) /* from here on the first number is how far the part moves */
        if (root[b] == b) {
            double *of_part = extent + 2 * (size_t)b, length = of_part[1] - of_part[0];
            of_part[0] = end - of_part[0], end += length;
        }
    for (int b = 0; b < count; ++b) x[3 * (size_t)b] += extent[2 * (size_t)root[b]];
}

/// Orders so that the `left` bodies of least x[axis] come first (Hoare's selection; ties as they come).
static void select_least(int count, int left, int axis, const double *x, int *order)
{
    int low = 0, high = count - 1;
    while (low < high) {
        double pivot = x[3 * (size_t)order[low + (high - low) / 2] + (size_t)axis];
        int i = low, j = high;
        while (i <= j) {
            while (x[3 * (size_t)order[i] + (size_t)axis] < pivot) ++i;
            while (x[3 * (size_t)order[j] + (size_t)axis] > pivot) --j;
            if (i > j) break;
            int t = order[i];
            order[i++] = order[j], order[j--] = t;
        }
        if (left <= j) high = j;
        else if (left >= i) low = i;
        else return;
    }
}

static void bisect(int count, const double *x, int *order)
{
    while (count > 1) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        int axis = 0, left = 1;
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < 3; ++i) {
                double at = x[3 * (size_t)order[k] + (size_t)i];
                if (at < low[i]) low[i] = at;
                if (at > high[i]) high[i] = at;
            }
        for (int i = 1; i < 3; ++i)
            if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
        while (2 * left < count) left *= 2;
        select_least(count, left, axis, x, order);
        bisect(left, x, order); /* the larger part: as deep as log2 count */
        order += left, count -= left;
    }
}

void bodies_order(int body_count, const int *root, double *extent, double *x, int *order)
{
    line_up(body_count, root, extent, x);
    for (int b = 0; b < body_count; ++b) order[b] = b;
    bisect(body_count, x, order);
}
