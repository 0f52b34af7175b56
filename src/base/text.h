/* text.h: printf into a fixed buffer that cannot overflow and never ends in half a character. Private to the library. */
#ifndef SCREE_BASE_TEXT_H
#define SCREE_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

enum { TEXT_MAX = 1024 }; /* bytes that text_format fills at most, the terminator included */

/// Formats into buffer[size], always terminated. What does not fit is cut before a UTF-8 character, not inside it.
/// The arguments may point into the buffer.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
void text_format(char *buffer, size_t size, const char *format, va_list arguments);

/// Copies `from` into buffer[size] under the same rule; the two may overlap.
void text_copy(char *buffer, size_t size, const char *from);

/// The code of the first control character that a terminal would obey, -1: none. New lines and tabs are none.
int text_control(const char *text, size_t length);

enum { TEXT_REAL = 64 };

/// 17 significant digits with a decimal point, whatever the locale has. Returns `text`.
char *text_real(double x, char text[TEXT_REAL]);

#endif
