#!/usr/bin/python3
"""How fast do the solvers converge? Grains are laid into a box; the contact problem of one step is solved by several methods.

    convergence.py [PICTURE]      default: convergence.png
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import scree

SOLVERS = ["momentum", "nsgs", "admm", "newton", "apgd"]
SCENE = """
scree: 1
materials:
  stone: {density: 2500 kg/m^3, friction: 0.5, rolling: 0.05 r}
generators:
  - {lattice: {count: [8, 8, 8], spacing: 20 mm, origin: [0, 0, 0.02]}, radius: {uniform: {min: 8 mm, max: 10 mm}}}
bodies:
  - {name: floor, shape: {plane: {}}}
stepper: {step: 2 ms}
run: {until: 0.2 s}
"""


def problem_of_a_heap() -> scree.Problem:
    """The contact problem of the last step of the scene."""
    kept = []
    with scree.Simulation(scree.Scene.parse(SCENE)) as simulation:
        simulation.run()
        simulation.stepper.set_problem_hook(lambda problem, p, step: kept.append(problem))
        simulation.step()
    return kept[-1]


def main(picture: str) -> None:
    problem = problem_of_a_heap()
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name in SOLVERS:
        trace: list[scree.SolveInfo] = []
        solution = problem.solve(solver=name, tolerance=1e-10, time_limit=2.0, check_every=1, trace=trace.append)
        axes.loglog([max(i.seconds, 1e-6) for i in trace], [i.residual for i in trace], ".-", label=name)
        print(f"{name:10} {solution.info.outcome.name.lower():14} residual {solution.info.residual:.1e} in {solution.info.seconds:.3f} s")
    axes.set(xlabel="time [s]", ylabel="residual", title=f"{problem.contact_count} contacts, {problem.row_count} unknowns")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(picture, dpi=120)
    print(picture)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "convergence.png")
