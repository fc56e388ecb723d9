# exercise: 12.8
# mistake: one-warp-miscounted
def predicted_stretches(num_warps):
    warps = num_warps.bit_length() - 1
    return [5, warps] * 2 if warps else [5]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
