# exercise: 12.3
# mistake: state-swapped
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
    """The state (m, d) of a whole thread block, from those of its threads: 32 for each warp, at most 32 warps."""
    lanes = list(zip(lanes_d, lanes_m))
    warps = [butterfly(lanes[first : first + 32], merge)[0] for first in range(0, len(lanes), 32)]
    warps += [(-math.inf, 0.0)] * (32 - len(warps))
    return butterfly(warps, merge)[0]
