# exercise: 15.1
def resident(c):
    return c["resident"]


import heapq
import math


def score(c):
    under_way = resident(c) * c["bytes"] / 49152
    return (1 - math.exp(-4 * under_way)) * math.sqrt(resident(c) * c["num_warps"] / 64) / (1 + c["n_spills"])


def worth_timing(candidates):
    return tuple(heapq.nlargest(len(candidates) // 3, candidates, key=score))
