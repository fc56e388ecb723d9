# exercise: 12.8
# mistake: first-level-steps
def predicted_stretches(num_warps):
    warps = num_warps.bit_length() - 1
    return [6, warps, 6, warps] if warps else [12]


def shuffles_by_stretch(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
