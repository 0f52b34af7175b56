#include <scree/base.h>

#include "base/fail.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Files may hold anything, and a terminal obeys control characters: "?" for each (scree/base.h).
static void tame(char *text)
{
    for (size_t k = 0; text[k]; ++k) {
        const size_t bytes = (unsigned char)text[k] == 0xC2 && text[k + 1] ? 2 : 1;
        if (text_control(text + k, bytes) >= 0) memset(text + k, '?', bytes);
    }
}

void scree_error_set(scree_error *error, const char *file, int line, int column, const char *format, ...)
{
    if (!error) return;
    va_list arguments;
    va_start(arguments, format); /* text before file: an argument may be the error's own file or text */
    text_format(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    text_copy(error->file, sizeof error->file, file ? file : "");
    tame(error->text), tame(error->file);
    error->line = line;
    error->column = column;
}

scree_status error_keep(scree_error *error, scree_status status)
{
    if (!error || status == SCREE_OK) return status;
    if (error->status == SCREE_OK && error->text[0] == '\0')
        scree_error_set(error, NULL, 0, 0, "%s", scree_status_name(status));
    error->status = status;
    return status;
}

int error_cookie(unsigned cookie, const char *function, scree_error *error)
{
    if (cookie == SCREE_COOKIE) return 1;
    scree_error_set(error, NULL, 0, 0, "a struct that nobody has filled, expected one from %s()", function);
    error_keep(error, SCREE_ERR_INPUT);
    return 0;
}

char *scree_error_format(const scree_error *error, char *buffer, size_t size)
{
    if (size == 0) return buffer;
    buffer[0] = '\0';
    if (!error) return buffer;

    char place[sizeof error->file + 32] = ""; /* file and two ints */
    const char *file = error->file;
    const char *colon = file[0] ? ":" : "";
    if (error->line > 0 && error->column > 0)
        snprintf(place, sizeof place, "%s%s%d:%d: ", file, colon, error->line, error->column);
    else if (error->line > 0) snprintf(place, sizeof place, "%s%s%d: ", file, colon, error->line);
    else if (file[0]) snprintf(place, sizeof place, "%s: ", file);

    char whole[sizeof place + sizeof error->text + 16];
    snprintf(whole, sizeof whole, "%serror: %s", place, error->text);
    text_copy(buffer, size, whole);
    return buffer;
}
