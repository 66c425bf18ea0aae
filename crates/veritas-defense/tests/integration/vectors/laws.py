#!/usr/bin/env python3
"""Golden numbers for the exact laws, from mpmath at 50 digits and from the definitions only (sums over outcomes,
not the closed forms that the crate uses). Recipe: python3 laws.py > laws.csv"""
from mpmath import mp, mpf, exp, binomial, nstr

mp.dps = 50


def out(kind, keys, value):
    print(",".join([kind, *map(str, keys), nstr(value, 17)]))


def channel(epsilon, levels):
    total = exp(mpf(epsilon)) + levels
    return exp(mpf(epsilon)) / total, 1 / total


for epsilon in ("0.01", "1", "3", "5", "7", "9"):
    for levels in (1, 2, 5, 10):
        p, q = channel(epsilon, levels)
        for grade in sorted({0, 1, levels // 2, levels}):
            law = [p if report == grade else q for report in range(levels + 1)]
            mean = sum(report * mass for report, mass in enumerate(law))
            variance = sum((report - mean) ** 2 * mass for report, mass in enumerate(law))
            out("mean", (epsilon, levels, grade), mean)
            out("variance", (epsilon, levels, grade), variance)
        fake = sum(r * (p if r == levels else q) for r in range(levels + 1))
        fake -= sum(r * (p if r == 1 else q) for r in range(levels + 1))
        out("proposition", (epsilon, levels, 0), fake)

for trials, rate, count in ((2707, "0.0326", 50), (2707, "0.0326", 88), (2707, "0.0326", 140), (100, "0.5", 50),
                            (22469, "0.0065", 90), (22469, "0.0065", 250), (10, "0.1", 0), (10, "0.1", 9)):
    mass = [binomial(trials, x) * mpf(rate) ** x * (1 - mpf(rate)) ** (trials - x) for x in range(trials + 1)]
    out("lower", (trials, rate, count), sum(mass[:count + 1]))
    out("upper", (trials, rate, count), sum(mass[count:]))

# P(S >= s) for the sum of n independent differences of two reports about zeros.
for epsilon, levels, n, sums in (("5", 5, 40, (1, 10, 30, 60)), ("1", 2, 25, (3, 20)), ("3", 5, 30, (20, 80))):
    p, q = channel(epsilon, levels)
    one = [p] + [q] * levels
    step = {}
    for i, a in enumerate(one):
        for j, b in enumerate(one):
            step[i - j] = step.get(i - j, 0) + a * b
    law = {0: mpf(1)}
    for _ in range(n):
        after = {}
        for value, mass in law.items():
            for change, weight in step.items():
                after[value + change] = after.get(value + change, 0) + mass * weight
        law = after
    for s in sums:
        out("difference", (f"{epsilon}:{levels}", n, s), sum(m for v, m in law.items() if v >= s))
