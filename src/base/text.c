#include "base/text.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

void text_copy(char *buffer, size_t size, const char *from)
{
    if (size == 0) return;
    size_t length = strlen(from);
    if (length >= size) {
        length = size - 1; /* bytes 10xxxxxx continue a character: the first byte left out must not be one */
        while (length > 0 && ((unsigned char)from[length] & 0xC0u) == 0x80u) --length;
    }
    memmove(buffer, from, length);
    buffer[length] = '\0';
}

void text_format(char *buffer, size_t size, const char *format, va_list arguments)
{
    char whole[TEXT_MAX + 4]; /* longer than what is kept by one character, so that text_copy sees where it cuts */
    if (vsnprintf(whole, sizeof whole, format, arguments) < 0) whole[0] = '\0';
    text_copy(buffer, size < TEXT_MAX ? size : TEXT_MAX, whole);
}

char *text_real(double x, char text[TEXT_REAL])
{
    const char *point = localeconv()->decimal_point;
    snprintf(text, TEXT_REAL, "%.17g", x);
    char *at = strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
    if (at) *at = '.', memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    return text;
}
