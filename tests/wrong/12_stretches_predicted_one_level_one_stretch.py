# exercise: 12.8
# mistake: lanes-across-warps
import math


def predicted_stretches(num_warps):
    return [2 * int(math.log2(32 * num_warps))]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
