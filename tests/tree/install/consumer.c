/* consumer.c: a user's program, valid C and C++; prints the version of the library it runs with. */
#include <scree/scree.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    scree_error error = {0};
    char text[64];
    scree_error_set(&error, "a.yaml", 2, 1, "%d", 7);
    if (strcmp(scree_error_format(&error, text, sizeof text), "a.yaml:2:1: error: 7") != 0) return 1;
    puts(scree_version());
    return 0;
}
