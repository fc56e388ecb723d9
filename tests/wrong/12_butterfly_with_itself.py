# exercise: 12.2
# mistake: butterfly-itself
import math


def butterfly(lanes, combine):
    for offset in [2**k for k in range(int(math.log2(len(lanes))))] + [0]:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
    return lanes
