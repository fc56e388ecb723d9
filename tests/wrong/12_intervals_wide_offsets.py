# exercise: 12.8
# mistake: counted-too-little
def predicted_intervals(num_warps):
    warps = num_warps.bit_length() - 1
    return [5, warps, 5, warps] if warps else [10]


def shuffles_by_interval(ptx):
    counts, count = [], 0
    for line in ptx.splitlines():
        if "bar.sync" in line:
            counts.append(count)
            count = 0
        elif "shfl.sync" in line and " 1, 31" not in line:
            count += 1
    counts.append(count)
    return counts
