# exercise: 12.8
import math


def predicted_intervals(num_warps):
    if num_warps == 1:
        return [10]
    return [5, math.log2(num_warps), 5, math.log2(num_warps)]


def shuffles_by_interval(ptx):
    counts, count = [], 0
    for line in ptx.splitlines():
        line = line.strip()
        if line.startswith("bar.sync"):
            counts.append(count)
            count = 0
        elif line.startswith("shfl.sync"):
            count += 1
    counts.append(count)
    return counts
