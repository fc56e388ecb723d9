# exercise: 8.1
# mistake: start-at-one
import math


def online_normalizer(xs):
    m, d = -math.inf, 1.0
    for x in xs:
        new = max(m, x)
        if new > -math.inf:
            d = d * (math.exp(m - new) if m > -math.inf else 1.0) + math.exp(x - new)
        m = new
    return m, d
