"""Analytic Gaussian calibration (Balle and Wang) by bisection in 50 digits; needs mpmath."""
from mpmath import exp, mp, mpf, ncdf

mp.dps = 50


def delta(eps, s):
    return ncdf(1 / (2 * s) - eps * s) - exp(eps) * ncdf(-1 / (2 * s) - eps * s)


for eps in ("0.1", "0.5", 1, 2, 3, 5, 8, 10, 16):
    e, lo, hi = mpf(eps), mpf("1e-3"), mpf(1000)
    for _ in range(200):
        mid = (lo + hi) / 2
        lo, hi = (lo, mid) if delta(e, mid) <= mpf("1e-5") else (mid, hi)
    print(eps, mp.nstr(hi, 8))
