# exercise: 12.3
import functools
import math


def combined(a, b):
    if a[1] == 0:
        return b
    if b[1] == 0:
        return a
    m = max(a[0], b[0])
    return [m, a[1] * math.exp(a[0] - m) + b[1] * math.exp(b[0] - m)]


def two_level(lanes_m, lanes_d):
    warps = []
    for w in range(len(lanes_m) // 32):
        warps.append(functools.reduce(combined, zip(lanes_m[32 * w : 32 * w + 32], lanes_d[32 * w : 32 * w + 32])))
    return functools.reduce(combined, warps)
