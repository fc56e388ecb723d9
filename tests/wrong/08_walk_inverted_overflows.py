# exercise: 8.1
# mistake: exp-out-of-range
import math


def online_normalizer(xs):
    m, d = -math.inf, 0.0
    for x in xs:
        new = max(m, x)
        if new > -math.inf:
            d = d * math.exp(new - m if d else 1e9) + math.exp(x - new)
        m = new
    return m, d
