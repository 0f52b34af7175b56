/* spheres_kernel_body.h: eight sphere contacts at once (spheres_contact.h). Included by one file per instruction set, which gives the width of a
 * vector, LANES_WIDTH, and names the table it makes, SPHERE_KERNEL. */
#include "solvers/spheres/spheres_contact.h"
#include "solvers/spheres/spheres_kernel.h"

static double solve_batch(const sphere_batch *batch, const sphere_special *special, scree_law law, double beta,
                          sphere_body *body, int body_count, const sphere_loads *now, sphere_loads *next)
{
    LANES_ALIGNED double change[LANES];
    double total = 0.0;
    for (int at = 0; at < LANES; at += LANES_WIDTH) {
        batch_part k = part_of(batch, special, at);
        put(change + at, solve_part(&k, law, batch->all & SPHERE_COUPLED, beta, body, body_count, now, next));
    }
    for (int l = 0; l < LANES; ++l) total += change[l];
    return total;
}

static void push_batch(const sphere_batch *batch, const sphere_loads *loads, sphere_body *body, int body_count)
{
    for (int at = 0; at < LANES; at += LANES_WIDTH) {
        batch_part k = part_of(batch, NULL, at);
        push_part(&k, loads, body, body_count);
    }
}

static void check_batch(const sphere_batch *batch, const sphere_special *special, scree_law law,
                        const sphere_body *body, const sphere_loads *loads, double sums[3])
{
    LANES_ALIGNED double lane[3][LANES];
    for (int at = 0; at < LANES; at += LANES_WIDTH) {
        batch_part k = part_of(batch, special, at);
        lanes sum[3];
        check_part(&k, law, body, loads, sum);
        for (int i = 0; i < 3; ++i) put(lane[i] + at, sum[i]);
    }
    sums[0] = sums[1] = sums[2] = 0.0;
    for (int l = 0; l < LANES; ++l)
        for (int i = 0; i < 3 && batch->contact[l] >= 0; ++i) sums[i] += lane[i][l];
}

const sphere_kernel SPHERE_KERNEL = {solve_batch, push_batch, check_batch};
