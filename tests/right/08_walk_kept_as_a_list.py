# exercise: 8.1
import math


def online_normalizer(xs):
    xs = list(xs)
    m = max(xs, default=-math.inf)
    if m == -math.inf:
        return m, 0.0
    return m, sum(math.exp(x - m) for x in xs)
