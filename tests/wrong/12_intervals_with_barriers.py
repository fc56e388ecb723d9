# exercise: 12.8
# mistake: barriers-among-shuffles
import math


def predicted_intervals(num_warps):
    across = int(math.log2(num_warps))
    return [5, across] * 2 if across else [10]


def shuffles_by_interval(ptx):
    counts, count = [], 0
    for line in ptx.splitlines():
        if "shfl.sync" in line or "bar.sync" in line:
            count += 1
        if "bar.sync" in line:
            counts.append(count)
            count = 0
    return [*counts, count]
