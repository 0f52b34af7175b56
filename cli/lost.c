/* lost.c: see lost.h. */
#include "cli/lost.h"

enum { SHOWN = 3, NAME_MAX_BYTES = 128 };

static void print_one(FILE *to, const scree_world *world, const scree_lost *lost)
{
    char body[NAME_MAX_BYTES], surface[NAME_MAX_BYTES];
    fprintf(to, "%s %.3g mm ", scree_world_body_name(world, lost->body, body, sizeof body), 1e3 * lost->depth);
    if (lost->where == SCREE_LOST_BELOW) fprintf(to, "below everything that is fixed");
    else fprintf(to, "behind %s", scree_world_body_name(world, lost->surface, surface, sizeof surface));
}

int lost_print_start(FILE *to, const scree_world *world)
{
    scree_lost lost[SHOWN];
    int count = scree_world_lost(world, 1, SHOWN, lost), meshes = 0;
    if (count == 0) return 0;
    fprintf(to, "not held     %d %s where no surface can hold %s:\n", count,
            count == 1 ? "body begins" : "bodies begin", count == 1 ? "it" : "them");
    for (int k = 0; k < count && k < SHOWN; ++k) {
        fprintf(to, "             ");
        print_one(to, world, &lost[k]);
        fprintf(to, "\n");
        meshes |= lost[k].where == SCREE_LOST_AT_BACK;
        for (int s = 0; s < scree_world_shape_count(world) && lost[k].where == SCREE_LOST_BEHIND; ++s) {
            scree_body_id owner = scree_world_shape_body(world, scree_shape_at(s));
            meshes |= scree_body_index(owner) == scree_body_index(lost[k].surface) &&
                      scree_world_shape(world, scree_shape_at(s))->kind == SCREE_SHAPE_MESH;
        }
    }
    if (meshes)
        fprintf(to,
                "             a mesh is touched from its front here: `sides: back` or `sides: both` changes that\n");
    return count;
}

void lost_print_left_out(FILE *to, const scree_census *census)
{
    if (census->left_out > 0)
        fprintf(to, "left out     %lld %s for which the packing found no free position\n", (long long)census->left_out,
                census->left_out == 1 ? "grain" : "grains");
}

int lost_print_end(FILE *to, const scree_world *world)
{
    scree_lost first;
    int count = scree_world_lost(world, 0, 1, &first);
    if (count == 0) return 0;
    fprintf(to, "lost         %d %s held by nothing any more; the first: ", count,
            count == 1 ? "body is" : "bodies are");
    print_one(to, world, &first);
    fprintf(to, "\n");
    return count;
}
