"""Half width of the square wave and the contraction of its mean; needs mpmath for the digits near zero."""
from mpmath import exp, mp, mpf

mp.dps = 40
for eps in (0.01, 0.1, 0.5, 1, 2, 3, 5, 8, 16):
    e = mpf(str(eps))
    print("beta", eps, mp.nstr((e * exp(e) - exp(e) + 1) / (2 * exp(e) * (exp(e) - 1 - e)), 10))
for eps in (1, 3):
    print("kappa", eps, mp.nstr(1 - (1 - exp(-mpf(eps))) / eps, 10))
