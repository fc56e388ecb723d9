# exercise: 15.1
def resident(c):
    registers = -(-c["n_regs"] * 32 // 256) * 256 * c["num_warps"]
    return min(65536 // registers, 2048 // (32 * c["num_warps"]), 32)


import heapq
import math


def score(c):
    under_way = resident(c) * c["bytes"] / 49152
    return (1 - math.exp(-4 * under_way)) * math.sqrt(resident(c) * c["num_warps"] / 64) / (1 + c["n_spills"])


def worth_timing(candidates):
    return tuple(heapq.nlargest(len(candidates) // 3, candidates, key=score))
