/* rigid.c: problems of rigid contacts. */
#include <scree/problem.h>
