/* dump.c: see output.h. */
#include <scree/output.h>
