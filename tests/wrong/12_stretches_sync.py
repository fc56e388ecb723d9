# exercise: 12.8
# mistake: counted-too-much
import math


def predicted_stretches(num_warps):
    across = int(math.log2(num_warps))
    return [5, across] * 2 if across else [10]


def shuffles_by_stretch(ptx):
    counts, count = [], 0
    for line in ptx.splitlines():
        if ".sync" in line:
            count += 1
        if "bar.sync" in line:
            counts.append(count)
            count = 0
    return [*counts, count]
