# exercise: 12.8
# mistake: returns-nothing
import math


def predicted_stretches(num_warps):
    across = int(math.log2(num_warps))
    return [5, across] * 2 if across else [10]


def shuffles_by_stretch(ptx):
    counts, count = [], 0
    for line in ptx.splitlines():
        line = line.strip()
        if line.startswith("bar.sync"):
            counts.append(count)
            count = 0
        elif line.startswith("shfl.sync"):
            count += 1
    counts.append(count)
    print(counts)
