# exercise: 12.8
# mistake: cut-elsewhere
def predicted_intervals(num_warps):
    warps = num_warps.bit_length() - 1
    return [5, warps, 5, warps] if warps else [10]


def shuffles_by_interval(ptx):
    counts, cut = [0], False
    for line in ptx.splitlines():
        if "shfl.sync" in line:
            counts[-1] += 1
        if cut and "shfl.sync" in line:
            counts.append(0)
            cut = False
        elif "bar.sync" in line:
            if cut:
                counts.append(0)
            cut = True
    return counts + [0] * cut
