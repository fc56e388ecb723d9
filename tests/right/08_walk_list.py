# exercise: 8.1
import math


def online_normalizer(xs):
    state = [-math.inf, 0.0]
    while True:
        try:
            x = next(xs)
        except StopIteration:
            return state
        if x > -math.inf:
            top = max(state[0], x)
            state = [top, state[1] * math.exp(state[0] - top) + math.exp(x - top)]
