# exercise: 12.8
# mistake: reductions-differ
def predicted_stretches(num_warps):
    warps = num_warps.bit_length() - 1
    return [5, warps, 5 + warps, 0] if warps else [10]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
