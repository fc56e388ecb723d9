# exercise: 12.8
import math


def predicted_intervals(num_warps):
    def halvings(count):
        return 0 if count == 1 else 1 + halvings(count // 2)

    first, second = halvings(32), halvings(num_warps)
    if not second:
        return (2 * first,)
    return (first, second, first, second)


def shuffles_by_interval(ptx):
    marks = "".join("s" if "shfl.sync" in line else "|" if "bar.sync" in line else "" for line in ptx.splitlines())
    return [*map(len, marks.split("|"))]
