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

int text_control(const char *text, size_t length)
{
    for (size_t k = 0; k < length; ++k) {
        const unsigned char c = (unsigned char)text[k], next = k + 1 < length ? (unsigned char)text[k + 1] : 0;
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) return c;
        if (c == 0xC2 && next >= 0x80 && next < 0xA0) return next; /* U+0080 to U+009F in UTF-8 */
    }
    return -1;
}

char *text_real(double x, char text[TEXT_REAL])
{
    const char *point = localeconv()->decimal_point;
    snprintf(text, TEXT_REAL, "%.17g", x);
    char *at = strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
    if (at) *at = '.', memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    return text;
}
