# exercise: 8.1
# mistake: exp-out-of-range
import math


def online_normalizer(xs):
    m, d = -math.inf, 0.0
    for x in xs:
        if x > m:
            d = d / math.exp(x - m) if d else 0.0
            m = x
        if m > -math.inf:
            d += math.exp(x - m)
    return m, d
