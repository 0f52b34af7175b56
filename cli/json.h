/* json.h: writes one JSON value to a stream, indented, numbers with 17 digits. The commands' --json output.
 *
 *     json j = json_start(stdout);
 *     json_object(&j, NULL);
 *         json_text(&j, "mode", "slide");
 *         json_numbers(&j, "reaction", p, 3);
 *     json_close(&j);
 *
 * `key` is NULL for the outermost value and inside lists. What JSON cannot say (NaN, infinity) is written as null. */
#ifndef SCREE_CLI_JSON_H
#define SCREE_CLI_JSON_H

#include <stdio.h>

enum { JSON_DEPTH_MAX = 16 };

typedef struct json {
    FILE *out;
    int depth;
    int count[JSON_DEPTH_MAX];    /* values written at each level   */
    char bracket[JSON_DEPTH_MAX]; /* what closes each level         */
} json;

json json_start(FILE *out);

void json_object(json *j, const char *key); /* open: close with json_close */
void json_list(json *j, const char *key);   /* open: close with json_close */
void json_close(json *j);                   /* the innermost; the last one ends the line */

void json_text(json *j, const char *key, const char *value); /* NULL: null; bytes that are not UTF-8 become U+FFFD */
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, long value);
void json_bool(json *j, const char *key, int value);
void json_null(json *j, const char *key);
void json_numbers(json *j, const char *key, const double *values, int count); /* a list on one line */

#endif
