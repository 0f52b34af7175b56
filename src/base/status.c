#include <scree/base.h>

const char *scree_status_name(scree_status status)
{
    switch (status) {
    case SCREE_OK: return "ok";
    case SCREE_ERR_INPUT: return "bad input";
    case SCREE_ERR_FILE: return "file error";
    case SCREE_ERR_MEMORY: return "out of memory";
    case SCREE_ERR_UNSUPPORTED: return "unsupported";
    }
    return "unknown status";
}

const char *scree_outcome_name(scree_outcome outcome)
{
    switch (outcome) {
    case SCREE_CONVERGED: return "converged";
    case SCREE_STALLED: return "stalled";
    case SCREE_MAX_ITERATIONS: return "max_iterations";
    case SCREE_INTERRUPTED: return "interrupted";
    case SCREE_DIVERGED: return "diverged";
    case SCREE_INFEASIBLE: return "infeasible";
    }
    return "unknown outcome";
}

const char *scree_version(void)
{
    return SCREE_VERSION_STRING;
}
