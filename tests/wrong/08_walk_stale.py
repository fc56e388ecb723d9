# exercise: 8.1
# mistake: stale-maximum
import math


def online_normalizer(xs):
    m, d = -math.inf, 0.0
    for x in xs:
        new = max(m, x)
        if new > -math.inf:
            d = d * math.exp(m - new) + (math.exp(x - m) if m > -math.inf else math.inf)
        m = new
    return m, d
