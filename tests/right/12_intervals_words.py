# exercise: 12.8
import math


def predicted_intervals(num_warps):
    levels = [5] + [num_warps.bit_length() - 1] * (num_warps > 1)
    intervals = levels * 2
    return intervals if len(levels) > 1 else [sum(intervals)]


def shuffles_by_interval(ptx):
    from itertools import groupby

    names = [line.split()[0] for line in ptx.splitlines() if line.split()]
    counts, place = [0] * (1 + sum(name.startswith("bar.") for name in names)), 0
    for name, same in groupby(names, key=lambda name: name.partition(".")[0]):
        if name == "bar":
            place += len(list(same))
        elif name == "shfl":
            counts[place] += len(list(same))
    return counts
