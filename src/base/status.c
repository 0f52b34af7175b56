#include <scree/base.h>

const char *scree_status_name(scree_status status)
{
    static const char *const name[SCREE_STATUS_COUNT] = {
        [SCREE_OK] = "ok",
        [SCREE_ERR_INPUT] = "bad input",
        [SCREE_ERR_FILE] = "cannot read",
        [SCREE_ERR_READ] = "reading failed",
        [SCREE_ERR_MEMORY] = "out of memory",
        [SCREE_ERR_UNSUPPORTED] = "unsupported",
        [SCREE_ERR_STEP] = "unstable step",
        [SCREE_ERR_SOLVER] = "not converged",
        [SCREE_ERR_RUNAWAY] = "runaway body",
        [SCREE_ERR_WRITE] = "cannot write",
        [SCREE_ERR_DEVICE] = "device failed",
    };
    return (int)status >= 0 && status < SCREE_STATUS_COUNT ? name[status] : "unknown status";
}

const char *scree_outcome_name(scree_outcome outcome)
{
    switch (outcome) {
    case SCREE_OUTCOME_CONVERGED: return "converged";
    case SCREE_OUTCOME_STALLED: return "stalled";
    case SCREE_OUTCOME_MAX_ITERATIONS: return "max_iterations";
    case SCREE_OUTCOME_INTERRUPTED: return "interrupted";
    case SCREE_OUTCOME_DIVERGED: return "diverged";
    case SCREE_OUTCOME_INFEASIBLE: return "infeasible";
    }
    return "unknown outcome";
}

const char *scree_version(void)
{
    return SCREE_VERSION_STRING;
}
