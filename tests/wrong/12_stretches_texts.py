# exercise: 12.8
# mistake: stretches-as-text
import math


def predicted_stretches(num_warps):
    across = int(math.log2(num_warps))
    return [5, across] * 2 if across else [10]


def shuffles_by_stretch(ptx):
    return ptx.split("bar.sync")
