# exercise: 12.3
# mistake: not-rescaled
import math


def merge(a, b):
    m = max(a[0], b[0])
    if m == -math.inf:
        return m, 0.0
    return m, a[1] * math.exp(a[0] - m) + b[1] * math.exp(b[0] - m)


def butterfly(lanes, combine):
    offset = len(lanes) // 2
    while offset > 0:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset //= 2
    return lanes


def two_level(lanes_m, lanes_d):
    warps = []
    for first in range(0, len(lanes_m), 32):
        m = butterfly(lanes_m[first : first + 32], max)[0]
        warps.append((m, butterfly(lanes_d[first : first + 32], lambda a, b: a + b)[0]))
    warps += [(-math.inf, 0.0)] * (32 - len(warps))
    return butterfly(warps, merge)[0]
