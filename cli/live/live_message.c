/* live_message.c: see live_message.h. */
#include "cli/live/live_message.h"

#include "cli/system.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 16 };

static void reserve(live_message *m, size_t size)
{
    if (size <= m->capacity) return;
    m->capacity = size + size / 2 + 4096;
    m->bytes = cli_more_memory(m->bytes, m->capacity);
}

void live_message_begin(live_message *m, const char *kind)
{
    if (!m->array) m->array = cli_memory(LIVE_ARRAYS_MAX * sizeof *m->array);
    m->size = HEAD, m->array_count = 0;
    m->out = cli_text_open(&m->text, &m->text_size);
    m->json = scree_json_start(m->out);
    scree_json_object(&m->json, NULL);
    scree_json_text(&m->json, "kind", kind);
}

void *live_message_array(live_message *m, const char *name, const char *type, size_t count)
{
    const size_t bytes = count * (strcmp(type, "u8") == 0 ? 1 : 4);
    if (m->array_count == LIVE_ARRAYS_MAX) cli_no_memory(); /* a stage of more meshes than a page can show */
    live_array *a = &m->array[m->array_count++];
    *a = (live_array){.type = type, .at = m->size, .count = count};
    snprintf(a->name, sizeof a->name, "%s", name);
    m->size += (bytes + 7) / 8 * 8;
    reserve(m, m->size);
    return m->bytes + a->at;
}

static void put_word(unsigned char *at, size_t value)
{
    for (int k = 0; k < 4; ++k) at[k] = (unsigned char)(value >> (8 * k));
}

void live_message_end(live_message *m)
{
    scree_json_object(&m->json, "arrays");
    for (int k = 0; k < m->array_count; ++k) {
        const live_array *a = &m->array[k];
        scree_json_list(&m->json, a->name);
        scree_json_text(&m->json, NULL, a->type);
        scree_json_integer(&m->json, NULL, (int64_t)a->at);
        scree_json_integer(&m->json, NULL, (int64_t)a->count);
        scree_json_close(&m->json);
    }
    scree_json_close(&m->json);
    scree_json_close(&m->json);
    cli_text_close(m->out, &m->text);
    reserve(m, m->size + m->text_size);
    memcpy(m->bytes + m->size, m->text, m->text_size);
    memcpy(m->bytes, "SCRL", 4);
    put_word(m->bytes + 4, m->size), put_word(m->bytes + 8, m->text_size), put_word(m->bytes + 12, 0);
    m->size += m->text_size;
    free(m->text);
    m->text = NULL;
}

void live_message_free(live_message *m)
{
    free(m->bytes);
    free(m->array);
    *m = (live_message){.bytes = NULL};
}
