#!/usr/bin/env python3
"""The numbers in src/math/elementary.h: coefficients of polynomials, constants in two doubles, the bits of 2/pi.

    tools/elementary.py        prints them, each polynomial with its largest error (Debian: python3-mpmath)

A polynomial interpolates its function in the points of Chebyshev, in 60 digits, and is rounded to doubles at the end: within a
factor of 2 of the best one of its degree.
"""
from mpmath import mp, mpf

mp.dps = 60


def interpolant(f, low, high, degree):
    """Coefficients, lowest first, and the points."""
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    rows = mp.matrix(degree + 1, degree + 1)
    for i, x in enumerate(points):
        for j in range(degree + 1):
            rows[i, j] = x**j
    return list(mp.lu_solve(rows, mp.matrix([f(x) for x in points])))


def show(name, f, low, high, degree, weight, what):
    """weight(x): what an error of the polynomial at x is worth, relative to the function that it serves."""
    c = [mpf(float(a)) for a in interpolant(f, mpf(low), mpf(high), degree)]
    worst = mpf(0)
    for k in range(1, 2000):
        x = mpf(low) + (mpf(high) - mpf(low)) * k / 2000
        worst = max(worst, abs((mp.polyval(c[::-1], x) - f(x)) * weight(x)))
    print(f"{name}: {what}; error 2^{float(mp.log(worst, 2)):.1f}")
    print("    {" + ", ".join(float(a).hex() for a in c) + "}")


def two(name, x):
    high = float(x)
    print(f"{name}: {{{high.hex()}, {float(x - mpf(high)).hex()}}}")


def chopped(name, x, bits, parts):
    """x as a sum of `parts` doubles; all but the last have so many bits that multiples of them by integers are exact."""
    out = []
    for k in range(parts):
        if k < parts - 1:
            unit = mpf(2) ** (int(mp.floor(mp.log(x, 2))) + 1 - bits)
            a = mp.floor(x / unit) * unit
        else:
            a = mpf(float(x))
        out.append(float(a).hex())
        x -= a
    print(f"{name}: {', '.join(out)}")


quarter = (mp.pi / 4) ** 2
show("sine", lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 1e-30, quarter, 6, lambda z: z, "(sin r/r - 1)/r^2 in r^2")
show("cosine", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, 1e-20, quarter, 5, lambda z: z**2 / mp.sqrt(mpf(1) / 2),
     "(cos r - 1 + r^2/2)/r^4 in r^2")
show("exponential", lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > 1e-20 else mpf(1) / 2 + r / 6, -mp.log(2) / 2, mp.log(2) / 2, 10, lambda r: r**2 / mp.exp(r),
     "(exp r - 1 - r)/r^2 in r")
steep = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
show("logarithm", lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) / mp.sqrt(z) - 2) / z, 1e-30, steep**2, 7, lambda z: z / 2,
     "(log((1 + s)/(1 - s)) - 2 s)/s^3 in s^2")
show("arc", lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 1e-30, mpf(1) / 256, 5, lambda z: z, "(atan t - t)/t^3 in t^2")
show("cube_root", lambda x: mp.cbrt(x), 1, 2, 5, lambda x: 1 / mp.cbrt(x), "x^(1/3) in x")
two("pi/2", mp.pi / 2)
two("pi", mp.pi)
two("ln 2", mp.log(2))
print("2^(1/3):", float(mp.cbrt(2)).hex(), " 2^(2/3):", float(mp.cbrt(4)).hex(), " 2/pi:", float(2 / mp.pi).hex())
chopped("pi/2 by 33 bits", mp.pi / 2, 33, 4)
chopped("ln 2 by 42 bits", mp.log(2), 42, 2)
print("atan(i/8):")
for i in range(9):
    x = mp.atan(mpf(i) / 8)
    print(f"    {{{float(x).hex()}, {float(x - mpf(float(x))).hex()}}},")
mp.dps = 420
words = [int(mp.floor(2 / mp.pi * mpf(2) ** (32 * (k + 1)))) % 2**32 for k in range(39)]
print("bits of 2/pi, 32 a word:")
for k in range(0, 39, 8):
    print("    " + ", ".join(f"0x{w:08x}" for w in words[k:k + 8]) + ",")
