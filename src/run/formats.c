/* formats.c: the table of frame formats (formats.h), in the order of SCREE_FORMATS. */
#include "run/formats.h"

#define ROW(id, name, family, shape, contact, text) &format_##name,
static const output_format *const table[SCREE_FORMAT_COUNT] = {SCREE_FORMATS(ROW)};
#undef ROW

const output_format *output_format_at(int index)
{
    SCREE_ASSERT(index >= 0 && index < SCREE_FORMAT_COUNT);
    return table[index];
}

int format_growing_count(const output_format *format)
{
    int count = 0;
    while (count < FORMAT_FILES_MAX && format->growing[count].name) ++count;
    return count;
}

const char *format_entry(const output_format *format)
{
    return format->growing[0].name ? format->growing[0].name : format->numbered[0].folder;
}
