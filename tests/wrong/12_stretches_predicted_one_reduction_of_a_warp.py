# exercise: 12.8
# mistake: one-reduction-predicted
import math


def predicted_stretches(num_warps):
    return [5, int(math.log2(num_warps))] if num_warps > 1 else [5]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
