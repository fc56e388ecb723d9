# exercise: 8.1
# mistake: walked-twice
import math


def online_normalizer(xs):
    m = max(xs, default=-math.inf)
    return m, sum(math.exp(x - m) for x in xs)
