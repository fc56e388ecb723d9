# exercise: 12.3
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
    lanes = list(zip(lanes_m, lanes_d))
    warps = [butterfly(lanes[i : i + 32], merge)[0] for i in range(0, len(lanes), 32)]
    warps += [(-math.inf, 0.0)] * (32 - len(warps))
    return butterfly(warps, merge)[0]
