/* colors.c: the colours that bodies of a scene may have in pictures: words, so that a mistyped one is an error with a suggestion. */
#include "scene/scene_private.h"
#include "scene/schema_tables.h"

#include <string.h>

/* sRGB; apart from each other for colour-blind eyes as far as ten colours can be (Okabe & Ito, and four more). */
static const struct {
    const char *word;
    unsigned char rgb[3];
} table[] = {{"auto", {0, 0, 0}},       {"red", {200, 40, 40}},   {"orange", {230, 159, 0}}, {"yellow", {240, 228, 66}},
             {"green", {0, 158, 115}},  {"blue", {0, 114, 178}},  {"sky", {86, 180, 233}},   {"purple", {127, 60, 141}},
             {"pink", {204, 121, 167}}, {"brown", {140, 96, 60}}, {"grey", {150, 152, 156}}, {"black", {40, 42, 46}},
             {"white", {244, 244, 242}}};

const char *color_word(int index)
{
    return index >= 0 && index < (int)(sizeof table / sizeof *table) ? table[index].word : NULL;
}

int scree_scene_color(const scree_scene *scene, const char *name, unsigned char rgb[3])
{
    const scene_body *body = scene->root.bodies.item;
    const scene_generator *g = scene->root.generators.item;
    size_t stem = strcspn(name, "[");
    int color = 0;
    for (int k = 0; k < scene->root.bodies.count && color == 0; ++k)
        if (body[k].name && strcmp(body[k].name, name) == 0) color = body[k].color;
    for (int k = 0; k < scene->root.generators.count && color == 0; ++k)
        if (name[stem] == '[' && strlen(g[k].name) == stem && memcmp(g[k].name, name, stem) == 0) color = g[k].color;
    if (color > 0) memcpy(rgb, table[color].rgb, 3);
    return color > 0;
}
