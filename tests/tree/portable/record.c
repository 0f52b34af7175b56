/* record.c: the events that libyaml finds in a scene, as text for events.c. Standard input to standard output; exit 1: not YAML, or with
 * anchors and tags, which scenes do not have.
 *
 * One line per event: letter, line, column, style, length; then, of a scalar, its bytes and a line's end. */
#include <stdio.h>
#include <yaml.h>

static int letter(const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_STREAM_START_EVENT: return 'S';
    case YAML_STREAM_END_EVENT: return 's';
    case YAML_DOCUMENT_START_EVENT: return 'D';
    case YAML_DOCUMENT_END_EVENT: return 'd';
    case YAML_SEQUENCE_START_EVENT: return e->data.sequence_start.anchor || e->data.sequence_start.tag ? 0 : 'L';
    case YAML_SEQUENCE_END_EVENT: return 'l';
    case YAML_MAPPING_START_EVENT: return e->data.mapping_start.anchor || e->data.mapping_start.tag ? 0 : 'M';
    case YAML_MAPPING_END_EVENT: return 'm';
    case YAML_SCALAR_EVENT: return e->data.scalar.anchor || e->data.scalar.tag ? 0 : 'V';
    default: return 0;
    }
}

int main(void)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return 1;
    yaml_parser_set_input_file(&parser, stdin);
    for (int more = 1; more;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&parser, &e) || !letter(&e)) return 1;
        int scalar = e.type == YAML_SCALAR_EVENT;
        size_t length = scalar ? e.data.scalar.length : 0;
        printf("%c %zu %zu %d %zu\n", letter(&e), e.start_mark.line, e.start_mark.column,
               scalar ? (int)e.data.scalar.style : 0, length);
        if (scalar) fwrite(e.data.scalar.value, 1, length, stdout), putchar('\n');
        more = e.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&parser);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
