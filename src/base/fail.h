/* fail.h: the sticky error of the public functions (scree/base.h). A function that takes a scree_error as its last argument begins with
 *
 *     if (error_stopped(error)) return error->status;      NULL or the null id, where that is what it returns
 *
 * and passes its last status through error_keep. Texts are set where the failure is found, by scree_error_set. */
#ifndef SCREE_BASE_FAIL_H
#define SCREE_BASE_FAIL_H

#include <scree/base.h>

/// 1: an earlier call has failed, and this one does nothing.
static inline int error_stopped(const scree_error *error)
{
    return error && error->status != SCREE_OK;
}

/// 1: `cookie` is that of a struct which its default function has filled. Else the error says which function that is, and is kept.
int error_cookie(unsigned cookie, const char *function, scree_error *error);

/// Keeps the status in the error, which may be NULL, with the status' name as its text if there is none; returns the status.
scree_status error_keep(scree_error *error, scree_status status);

#endif
