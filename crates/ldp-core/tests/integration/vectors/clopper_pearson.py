"""Clopper-Pearson limits, one-sided, from scipy's beta quantiles; needs scipy."""
from scipy.stats import beta

for k, n, a in ((3, 10, 0.05), (1, 1000, 0.005), (500, 1000, 0.005), (999, 1000, 0.005), (3, 10**6, 0.005), (731000, 10**6, 0.005)):
    print(f"({k}, {n}, {a}, {beta.ppf(a, k, n - k + 1)!r}, {beta.ppf(1 - a, k + 1, n - k)!r}),")
