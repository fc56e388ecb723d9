# exercise: 12.8
# mistake: lists-in-the-list
import math


def predicted_stretches(num_warps):
    across = int(math.log2(num_warps))
    return [[5, across], [5, across]] if num_warps > 1 else [10]


def shuffles_by_stretch(ptx):
    return [stretch.count("shfl.sync") for stretch in ptx.split("bar.sync")]
