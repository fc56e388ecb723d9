# exercise: 8.1
# mistake: inf-minus-inf
import math


def online_normalizer(xs):
    m, d = -math.inf, 0.0
    for x in xs:
        new = max(m, x)
        d = d * math.exp(m - new) + math.exp(x - new)
        m = new
    return m, d
