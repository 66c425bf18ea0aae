"""Level channels, rectifier biases and certificate totals of PPGNN's mechanism; needs numpy and scipy.

LP: best staircase channel by scipy.optimize.linprog; printed are the shares of the gap (no level information to
perfect level information) that each channel closes, five levels, base 0.5, one sampled dimension.
"""
from itertools import product
from math import e, exp, floor, log, tanh

import numpy as np
from scipy.optimize import linprog


def beta(x):
    return (x - 1 + exp(-x)) / (2 * (exp(x) - 1 - x))


def wave(x, f, b):
    z = (2 * b + 1) * exp(x) + f - 1
    return np.array([[exp(x) / z if abs(g + b - y) <= b else 1 / z for y in range(f + 2 * b)] for g in range(f)])


budgets = np.array([0.01 * 2**k for k in range(5)])
b = floor(beta(0.005) * 5)
chan, t = wave(0.005, 5, b), np.tanh((budgets - 0.005) / 2)
near = np.clip(np.arange(5 + 2 * b) - b, 0, 4)
print("R0", (chan * t[:, None] / t[near]).sum(1))
post = chan / chan.sum(0)
print("R1", (chan * t[:, None] / (post * t[:, None]).sum(0)).sum(1))

for base, eps_l in ((0.01, 0.005), (0.1, 0.05), (1, 0.5)):
    lo, hi = base - eps_l, 16 * base - eps_l
    leak = max(log((1 + exp(-lo)) / (1 + exp(-hi))), log((1 + exp(hi)) / (1 + exp(lo))))
    print("totals at m'=1", base, eps_l + leak, eps_l + log((1 + exp(hi)) / (1 + exp(-lo))))


def precision(p, t):
    return ((p * t[:, None]).mean(0) ** 2 / p.mean(0)).sum()


t = np.tanh(np.array([0.5 * 2**k for k in range(5)]) / 2)
none, full = t.mean() ** 2, (t**2).mean()
for eps_l in (1, 2, 4):
    cols = np.array([[exp(eps_l) if s else 1.0 for s in bits] for bits in product((0, 1), repeat=5)])
    mu = np.array([(c * t).mean() ** 2 / c.mean() for c in cols])
    lp = -linprog(-mu, A_eq=cols.T, b_eq=np.ones(5)).fun
    krr = precision(wave(eps_l, 5, 0), t)
    one = precision(wave(eps_l, 5, 1), t)
    print("share", eps_l, [(v - none) / (full - none) for v in (lp, one, krr)])
