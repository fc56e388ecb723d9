# exercise: 12.3
import math

def butterfly(lanes, combine):
    """What each lane holds in the end, as a list: combine(a, b) of all values, by exchanges with lane ^ offset.

    lanes: a list of 2, 4, ..., 32 values, or of one. In a step, every lane reads what its partner held before the step.
    """
    # Offsets from half of the lanes down to 1; in each step all lanes at once (about 5 lines).
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
    """The state (m, d) of a whole thread block, from those of its threads: 32 for each warp, at most 32 warps."""
    # One state from each warp, then one from all of them (about 4 lines).
    lanes = list(zip(lanes_m, lanes_d))
    n = 1
    while n < len(lanes):
        n *= 2
    lanes += [(-math.inf, 0.0)] * (n - len(lanes))
    return butterfly(lanes, merge)[0]
