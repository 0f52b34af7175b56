#!/bin/sh
# Writes the hopper of docs/hopper.md as an STL file in millimetres: a bin of radius 60 over a funnel of 55 degrees with an outlet of 35.
#
#   sh examples/hopper_stl.sh hopper.stl             normals to the inside
#   sh examples/hopper_stl.sh hopper.stl --outward   normals to the outside, as many programs write a sheet
[ $# -ge 1 ] || { sed -n '2,5s/^#//p' "$0"; exit 2; }
awk -v outward="$([ "${2:-}" = --outward ] && echo 1)" '
    function vertex(ring, k) {
        printf "  vertex %.6f %.6f %.6f\n", radius[ring] * cos(turn * (k % sides)), radius[ring] * sin(turn * (k % sides)), height[ring]
    }
    function facet(r1, k1, r2, k2, r3, k3) { # counter-clockwise seen from the inside
        printf "facet normal 0 0 0\n outer loop\n"
        if (outward) { vertex(r3, k3); vertex(r2, k2); vertex(r1, k1) } else { vertex(r1, k1); vertex(r2, k2); vertex(r3, k3) }
        printf " endloop\nendfacet\n"
    }
    BEGIN {
        sides = 40; turn = 2 * atan2(0, -1) / sides
        radius[0] = 60; height[0] = 300   # rim
        radius[1] = 60; height[1] = 60.7  # edge of the funnel
        radius[2] = 17.5; height[2] = 0   # outlet
        print "solid hopper"
        for (ring = 0; ring < 2; ++ring)
            for (k = 0; k < sides; ++k) {
                facet(ring, k, ring, k + 1, ring + 1, k)
                facet(ring, k + 1, ring + 1, k + 1, ring + 1, k)
            }
        print "endsolid hopper"
    }' >"$1"
