# exercise: 8.1
import itertools
import math


def online_normalizer(xs):
    first, second = itertools.tee(xs)
    m, d = -math.inf, 0.0
    for x in first:
        m = max(m, x)
    for x in second:
        if m > -math.inf:
            d += math.exp(x - m)
    return m, d
