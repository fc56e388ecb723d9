# exercise: 12.8
# mistake: stretches-summed
import math


def predicted_stretches(num_warps):
    return 2 * (5 + int(math.log2(num_warps)))


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
