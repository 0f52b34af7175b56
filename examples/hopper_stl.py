#!/usr/bin/env python3
"""Writes the hopper of docs/hopper.md as an STL file in millimetres: a bin of radius 60 over a funnel of 55 degrees with an outlet of 35.

    python3 examples/hopper_stl.py hopper.stl             normals to the inside
    python3 examples/hopper_stl.py hopper.stl --outward   normals to the outside, as many programs write a sheet
"""

import math
import sys

SIDES = 40
RINGS = [(60.0, 300.0), (60.0, 60.7), (17.5, 0.0)]  # radius and height of the rim, the edge of the funnel, the outlet


def point(ring, k):
    radius, height = RINGS[ring]
    angle = 2.0 * math.pi * (k % SIDES) / SIDES
    return (radius * math.cos(angle), radius * math.sin(angle), height)


def triangles():
    for ring in range(len(RINGS) - 1):
        for k in range(SIDES):
            a, b, c, d = point(ring, k), point(ring, k + 1), point(ring + 1, k), point(ring + 1, k + 1)
            yield a, b, c  # counter-clockwise seen from the inside
            yield b, d, c


def main():
    outward = "--outward" in sys.argv
    with open(sys.argv[1], "w", encoding="ascii") as file:
        print("solid hopper", file=file)
        for corners in triangles():
            print("facet normal 0 0 0\n outer loop", file=file)
            for corner in reversed(corners) if outward else corners:
                print("  vertex %.6f %.6f %.6f" % corner, file=file)
            print(" endloop\nendfacet", file=file)
        print("endsolid hopper", file=file)


main()
