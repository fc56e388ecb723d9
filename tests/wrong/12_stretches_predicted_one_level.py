# exercise: 12.8
# mistake: lanes-across-warps
import math


def predicted_stretches(num_warps):
    return [int(math.log2(32 * num_warps))] * 2


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
