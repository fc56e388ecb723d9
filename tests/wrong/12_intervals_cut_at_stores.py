# exercise: 12.8
# mistake: intervals-miscounted
def predicted_intervals(num_warps):
    warps = num_warps.bit_length() - 1
    return [5, warps, 5, warps] if warps else [10]


def shuffles_by_interval(ptx):
    counts, count = [], 0
    for line in ptx.splitlines():
        if "st.shared" in line:
            counts.append(count)
            count = 0
        elif "shfl.sync" in line:
            count += 1
    counts.append(count)
    return counts
