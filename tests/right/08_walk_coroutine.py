# exercise: 8.1
import math


def _walk():
    m, d = -math.inf, 0.0
    while True:
        x = yield m, d
        if (new := max(m, x)) != -math.inf:
            m, d = new, math.fsum([d * math.exp(m - new), math.exp(x - new)])


def online_normalizer(xs):
    walk = _walk()
    state = next(walk)
    for x in xs:
        state = walk.send(float(x))
    walk.close()
    return state
