# exercise: 12.2
import math


def butterfly(lanes, combine):
    lanes = list(lanes)
    for k in range(int(math.log2(len(lanes)))):
        for lane in range(len(lanes)):
            partner = lane ^ (1 << k)
            if lane < partner:
                both = combine(lanes[lane], lanes[partner])
                lanes[lane] = lanes[partner] = both
    return lanes
