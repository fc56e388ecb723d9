# exercise: 12.8
# mistake: second-level-in-series
import math


def predicted_stretches(num_warps):
    return [5, num_warps - 1] * 2 if num_warps > 1 else [10]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
