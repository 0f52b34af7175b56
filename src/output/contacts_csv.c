/* contacts_csv.c: see output.h. */
#include <scree/output.h>
