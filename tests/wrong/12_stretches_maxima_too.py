# exercise: 12.8
# mistake: counted-too-much
def predicted_stretches(num_warps):
    warps = num_warps.bit_length() - 1
    return [5, warps, 5, warps] if warps else [10]


def shuffles_by_stretch(ptx):
    counts, count = [], 0
    for line in ptx.splitlines():
        if "bar.sync" in line:
            counts.append(count)
            count = 0
        elif "shfl.sync" in line or "max.f32" in line:
            count += 1
    counts.append(count)
    return counts
