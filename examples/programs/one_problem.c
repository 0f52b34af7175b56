/* one_problem.c: reads a problem of many contacts, solves it, checks the solution. Valid C and C++; docs/embedding.md explains it. */
#include <scree/solver.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    char text[1200];
    scree_error e = {0}; /* once a call fails, those after it do nothing: one check, at the end */
    if (argc != 2) return fprintf(stderr, "usage: one_problem FILE\n"), 2;

    scree_problem *p = scree_problem_read(argv[1], NULL, &e);
    scree_solver *s = scree_solver_create(p, NULL, &e); /* NULL: the solver auto, tolerance 1e-8 */
    double *r = scree_problem_vector(p, &e);            /* where to start: zeros                 */
    scree_solve_info info = scree_solver_solve(s, p, r, &e);
    scree_certificate cert = scree_problem_certify(p, r, &e);

    if (e.status) fprintf(stderr, "%s\n", scree_error_format(&e, text, sizeof text));
    else printf("%s, residual below 1e-8: %s\n", scree_outcome_name(info.outcome), cert.residual < 1e-8 ? "yes" : "no");
    scree_solver_destroy(s);
    scree_problem_vector_free(p, r);
    scree_problem_destroy(p);
    return e.status || info.outcome != SCREE_OUTCOME_CONVERGED;
}
