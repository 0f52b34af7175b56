/* formats.c: the list of frame formats by name (scree/scene.h). Their writers are in src/run, a layer above. */
#include <scree/scene.h>

#include <string.h>

typedef struct format_row {
    const char *name, *family, *text;
    double shape_bytes, contact_bytes;
} format_row;

#define ROW(id, name, family, shape, contact, text) {#name, family, text, shape, contact},
static const format_row row[SCREE_FORMAT_COUNT] = {SCREE_FORMATS(ROW)};
#undef ROW

_Static_assert(SCREE_FORMAT_COUNT < 32,
               "a set of formats is an unsigned, and a choice of a scene has at most 32 words");

const char *scree_format_name(int index)
{
    return index >= 0 && index < SCREE_FORMAT_COUNT ? row[index].name : NULL;
}

const char *scree_format_text(int index)
{
    return index >= 0 && index < SCREE_FORMAT_COUNT ? row[index].text : NULL;
}

unsigned scree_format_find(const char *name)
{
    unsigned found = 0;
    for (int k = 0; k < SCREE_FORMAT_COUNT && name[0]; ++k)
        if (strcmp(name, row[k].name) == 0 || strcmp(name, row[k].family) == 0) found |= 1U << k;
    return found;
}

double scree_format_bytes(unsigned formats, double shapes, double contacts)
{
    double bytes = 0.0;
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k)
        if (formats >> k & 1U) bytes += row[k].shape_bytes * shapes + row[k].contact_bytes * contacts;
    return bytes;
}
