# exercise: 12.8
# mistake: second-level-steps
def predicted_intervals(num_warps):
    warps = num_warps.bit_length() - 1
    return [5, num_warps.bit_length()] * 2 if warps else [10]


def shuffles_by_interval(ptx):
    return [part.count("shfl.sync") for part in ptx.split("bar.sync")]
