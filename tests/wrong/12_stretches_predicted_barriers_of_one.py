# exercise: 12.8
# mistake: one-warp-with-barriers
import math


def predicted_stretches(num_warps):
    across = int(math.log2(num_warps))
    return [5, across] * 2 if across else [5, 5]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
