# exercise: 8.1
import math


def online_normalizer(xs):
    m, d = float("-inf"), 0
    for x in xs:
        if x == float("-inf"):
            continue
        if x > m:
            d = d * math.exp(m - x) + 1 if d else 1
            m = x
        else:
            d += math.exp(x - m)
    return m, d
