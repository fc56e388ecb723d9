# exercise: 8.1
# mistake: returns-nothing
import math


def online_normalizer(xs):
    m, d = -math.inf, 0.0
    for x in xs:
        new = max(m, x)
        if new > -math.inf:
            d = d * math.exp(m - new) + math.exp(x - new)
        m = new
