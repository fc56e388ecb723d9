# exercise: 12.8
# mistake: second-level-full
import math


def predicted_stretches(num_warps):
    return [5, 5] * 2


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
