# exercise: 8.1
# mistake: one-number-given
import math

def online_normalizer(xs):
    """(m, d) of the numbers xs: their maximum, and the sum of exp(x - m). xs can be read only once.

    Without numbers, or if all are -inf, it is (-inf, 0).
    """
    m, d = -math.inf, 0.0
    for x in xs:
        # Update the state with x: the new maximum, then the new sum (about 4 lines).
        new = max(x)
        if new > -math.inf:
            d = d * math.exp(m - new) + math.exp(x - new)
        m = new
    return m, d
