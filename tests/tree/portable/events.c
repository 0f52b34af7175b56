/* events.c: in place of libyaml on machines for which there is none: the functions that scree calls, for texts that record.c wrote with
 * the true libyaml elsewhere. All that scree does with a scene, numbers and units included, it does on the machine itself. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

int yaml_parser_initialize(yaml_parser_t *parser)
{
    memset(parser, 0, sizeof *parser);
    return 1;
}

void yaml_parser_delete(yaml_parser_t *parser)
{
    memset(parser, 0, sizeof *parser);
}

void yaml_parser_set_input_string(yaml_parser_t *parser, const unsigned char *input, size_t size)
{
    parser->input.string.start = parser->input.string.current = input;
    parser->input.string.end = input + size;
}

static int failed(yaml_parser_t *parser)
{
    parser->error = YAML_PARSER_ERROR, parser->problem = "not a text of record.c";
    return 0;
}

/// The number at the current place, and what stands behind it passed by.
static size_t next_number(yaml_parser_t *parser)
{
    size_t value = 0;
    const unsigned char **at = &parser->input.string.current;
    for (; *at < parser->input.string.end && **at >= '0' && **at <= '9'; ++*at)
        value = 10 * value + (size_t)(**at - '0');
    if (*at < parser->input.string.end) ++*at;
    return value;
}

int yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event)
{
    static const struct {
        char letter;
        yaml_event_type_t type;
    } known[] = {{'S', YAML_STREAM_START_EVENT},  {'s', YAML_STREAM_END_EVENT},     {'D', YAML_DOCUMENT_START_EVENT},
                 {'d', YAML_DOCUMENT_END_EVENT},  {'L', YAML_SEQUENCE_START_EVENT}, {'l', YAML_SEQUENCE_END_EVENT},
                 {'M', YAML_MAPPING_START_EVENT}, {'m', YAML_MAPPING_END_EVENT},    {'V', YAML_SCALAR_EVENT}};
    const unsigned char *end = parser->input.string.end;
    memset(event, 0, sizeof *event);
    if (end - parser->input.string.current < 2) return failed(parser);
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (known[k].letter == (char)*parser->input.string.current) event->type = known[k].type;
    if (event->type == YAML_NO_EVENT) return failed(parser);
    parser->input.string.current += 2;
    event->start_mark.line = next_number(parser), event->start_mark.column = next_number(parser);
    size_t style = next_number(parser), length = next_number(parser);
    if (event->type != YAML_SCALAR_EVENT) return 1;
    if (length >= (size_t)(end - parser->input.string.current)) return failed(parser);
    event->data.scalar.style = (yaml_scalar_style_t)style, event->data.scalar.length = length;
    event->data.scalar.value = malloc(length + 1);
    if (!event->data.scalar.value) {
        parser->error = YAML_MEMORY_ERROR;
        return 0;
    }
    memcpy(event->data.scalar.value, parser->input.string.current, length);
    event->data.scalar.value[length] = '\0';
    parser->input.string.current += length + 1;
    return 1;
}

void yaml_event_delete(yaml_event_t *event)
{
    if (event->type == YAML_SCALAR_EVENT) free(event->data.scalar.value);
    memset(event, 0, sizeof *event);
}
