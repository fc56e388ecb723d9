# exercise: 12.3
# mistake: states-in-series
import math

def butterfly(lanes, combine):
    """What each lane holds in the end, as a list: combine(a, b) of all values, by exchanges with lane ^ offset.

    lanes: a list of 2, 4, ..., 32 values, or of one. In a step, every lane reads what its partner held before the step.
    """
    offset = len(lanes) // 2
    while offset > 0:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset //= 2
    return lanes

def merge(a, b):
    """The state (m, d) of two parts of a row together, from their states."""
    m = max(a[0], b[0])
    if m == -math.inf:
        return m, 0.0
    return m, a[1] * math.exp(a[0] - m) + b[1] * math.exp(b[0] - m)

def two_level(lanes_m, lanes_d):
    state = -math.inf, 0.0
    for each in zip(lanes_m, lanes_d):
        state = merge(state, each)
    return state
