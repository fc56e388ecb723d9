# exercise: 12.3
# mistake: none
import math


def merge(a, b):
    m = max(a[0], b[0])
    if m == -math.inf:
        return (m, 0.0)
    return (m, a[1] * math.exp(a[0] - m) + b[1] * math.exp(b[0] - m))


def butterfly(lanes, combine):
    offset = len(lanes) // 2
    while offset > 0:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset //= 2
    return lanes


def two_level(lanes_m, lanes_d):

    def levels(values, combine, empty):
        warps = [butterfly(values[i:i + 32], combine)[0] for i in range(0, len(values), 32)]
        return butterfly(warps + [empty] * (32 - len(warps)), combine)[0]
    m = levels(lanes_m, max, -math.inf)
    if m == -math.inf:
        return (m, 0.0)
    return (m, levels([d * math.exp(m) for v, d in zip(lanes_m, lanes_d)], lambda a, b: a + b, 0.0))
