/* csv.c: fields of CSV lines, RFC 4180 (scree/files.h). */
#include <scree/files.h>

#include <string.h>

char *scree_csv_cut(char *at, char **field, int *last)
{
    char *to = at;
    int quoted = 0;
    *field = at;
    for (; *at; ++at) {
        if (*at == '"') {
            if (quoted && at[1] == '"') *to++ = *at++;
            else quoted = !quoted;
        } else if (*at == '\n' || (*at == ',' && !quoted)) break;
        else *to++ = *at;
    }
    *last = *at != ',';
    char *next = *at ? at + 1 : at;
    *to = '\0';
    return next;
}

void scree_csv_write(FILE *out, const char *field)
{
    const int quoted = strpbrk(field, ",\"\r\n") != NULL;
    if (quoted) fputc('"', out);
    for (; *field; ++field) {
        if (*field == '"') fputc('"', out);
        fputc(*field, out);
    }
    if (quoted) fputc('"', out);
}
