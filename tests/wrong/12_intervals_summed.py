# exercise: 12.8
# mistake: intervals-summed
import math


def predicted_intervals(num_warps):
    across = int(math.log2(num_warps))
    return [5, across] * 2 if across else [10]


def shuffles_by_interval(ptx):
    return ptx.count("shfl.sync")
