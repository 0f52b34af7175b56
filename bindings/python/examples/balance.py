"""A pole on a cart as an environment of gymnasium, and a feedback that balances it.

    python3 balance.py

Where gymnasium is installed, Balance is one of its environments (gymnasium.Env, with its spaces); elsewhere the same class works by itself.
The cart slides on the x axis, the pole turns about a hinge on it; the action is the force on the cart [N]. An episode starts from a saved
state, so a reset copies memory and builds nothing.
"""

from __future__ import annotations

import math

import numpy as np

import scree

try:
    import gymnasium
    from gymnasium.spaces import Box

    Base = gymnasium.Env
except ImportError:  # the few names that are needed
    Base, Box = object, None

FORCE, STEP, SUBSTEPS, FALLEN, OFF = 10.0, 0.005, 4, 0.35, 2.0  # N, s, -, rad, m

SCENE = """
scree: 1
planar: xz
materials: {steel: {density: 1000 kg/m^3}}
pairs: [{between: [steel, steel], touching: false}]
bodies:
  - {name: cart, shape: {box: {size: [20 cm, 10 cm, 5 cm]}}, mass: 1 kg}
  - {name: pole, shape: {box: {size: [2 cm, 2 cm, 1 m]}}, mass: 0.1 kg, position: [0, 0, 50 cm]}
joints:
  - {name: rail, bodies: [ground, cart], slider: {anchor: [0, 0, 0], axis: x, motor: {speed: 0 m/s, limit: 0 N}}}
  - {name: pin, bodies: [cart, pole], hinge: {anchor: [0, 0, 0], axis: y}}
stepper: {step: 5 ms}
run: {until: 100 s}
"""


class Balance(Base):
    """Observation: place and speed of the cart, angle and angular speed of the pole."""

    metadata = {"render_modes": []}

    def __init__(self) -> None:
        self.simulation = scree.Simulation(scree.Scene.parse(SCENE))
        self.world = self.simulation.world
        self.cart, self.pole = self.world.find_body("cart"), self.world.find_body("pole")
        self.rail = self.world.find_joint("rail")
        self.start = self.world.save()
        self.random = np.random.default_rng()
        if Box is not None:
            self.action_space = Box(-FORCE, FORCE, (1,), np.float64)
            self.observation_space = Box(-np.inf, np.inf, (4,), np.float64)

    def state(self) -> np.ndarray:
        x, v = self.world.positions, self.world.velocities
        lean = x[self.pole] - x[self.cart]
        swing = v[self.pole] - v[self.cart]
        angle = math.atan2(lean[0], lean[2])
        rate = (swing[0] * lean[2] - swing[2] * lean[0]) / (lean[0] ** 2 + lean[2] ** 2)
        return np.array([x[self.cart, 0], v[self.cart, 0], angle, rate])

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.world.restore(self.start)
        angle = self.random.uniform(-0.05, 0.05)
        half = (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)
        self.world.set_state(self.pole, position=(0.5 * math.sin(angle), 0.0, 0.5 * math.cos(angle)), rotation=half)
        return self.state(), {}

    def step(self, action: float | np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        force = float(np.clip(np.ravel(action)[0], -FORCE, FORCE))
        # a motor that cannot reach its speed exerts its limit
        self.world.set_motor(self.rail, math.copysign(1e3, force), abs(force))
        self.simulation.advance(SUBSTEPS)
        state = self.state()
        fallen = abs(state[2]) > FALLEN or abs(state[0]) > OFF
        return state, 0.0 if fallen else 1.0, fallen, self.world.time > 10.0, {}


def feedback(state: np.ndarray) -> float:
    """Linear, by hand: lean with the pole, and back to the middle."""
    return float(np.dot((1.5, 3.0, 40.0, 9.0), state))


def episode(environment: Balance, policy) -> float:
    """Steps that the pole stays up; at most 500."""
    state, _ = environment.reset(seed=3)
    total = 0.0
    while True:
        state, reward, fallen, late, _ = environment.step(policy(state))
        total += reward
        if fallen or late:
            return total


if __name__ == "__main__":
    print(f"without a force the pole is up for {episode(Balance(), lambda state: 0.0):.0f} steps,", end=" ")
    print(f"with feedback for {episode(Balance(), feedback):.0f} of 500")
