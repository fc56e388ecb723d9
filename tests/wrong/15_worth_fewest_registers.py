# exercise: 15.1
# mistake: little-under-way
def resident(c):
    registers = -(-c["n_regs"] * 32 // 256) * 256 * c["num_warps"]
    return min(65536 // registers, 2048 // (32 * c["num_warps"]), 32)


def worth_timing(candidates):
    return sorted(candidates, key=lambda c: c["n_regs"])[: len(candidates) // 3]
