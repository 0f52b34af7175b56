#include <scree/base.h>

#include "base/text.h"

#include <stdarg.h>

void scree_log_write(const scree_log *log, scree_log_level level, const char *format, ...)
{
    if (!log || !log->write || level < log->threshold) return;
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    text_format(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(level, text, log->context);
}
