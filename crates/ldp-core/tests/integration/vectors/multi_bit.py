"""Scales and switch points of the multi-bit mechanism; plain Python, no packages."""
from math import tanh

for eps, m in ((0.5, 1), (2, 1), (6, 2)):
    print("scale", eps, m, repr(1433 / m / tanh(eps / (2 * m))))


def cost(eps, m):
    return 1 / (m * tanh(eps / (2 * m)) ** 2)


for m in range(1, 9):
    low, high = 2.0 * m, 2.0 * m + 3
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (mid, high) if cost(mid, m) < cost(mid, m + 1) else (low, mid)
    print("switch", m, round(low, 4))
