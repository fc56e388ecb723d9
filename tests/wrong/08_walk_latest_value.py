# exercise: 8.1
# mistake: tile-maximum
import math


def online_normalizer(xs):
    m, d = -math.inf, 0.0
    for x in xs:
        new = x
        if new > -math.inf:
            d = d * (math.exp(m - new) if m - new < 700 else math.inf) + math.exp(x - new)
        m = new
    return m, d
