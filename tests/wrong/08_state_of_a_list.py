# exercise: 8.1
# mistake: inf-minus-inf
import math
def online_normalizer(xs):
    xs = list(xs)
    m = max(xs, default=-math.inf)
    return m, sum(math.exp(x - m) for x in xs)
