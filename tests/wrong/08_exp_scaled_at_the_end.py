# exercise: 8.1
# mistake: sum-of-exp-x
import math


def online_normalizer(xs):
    m, d = -math.inf, 0.0
    for x in xs:
        m = max(m, x)
        d += math.exp(x)
    return m, d * math.exp(-m)
