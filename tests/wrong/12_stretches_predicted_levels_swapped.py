# exercise: 12.8
# mistake: levels-in-another-order
import math


def predicted_stretches(num_warps):
    across = int(math.log2(num_warps))
    return [across, 5] * 2 if across else [10]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
