# exercise: 15.1
# mistake: not-candidates
def resident(c):
    registers = -(-c["n_regs"] * 32 // 256) * 256 * c["num_warps"]
    return min(65536 // registers, 2048 // (32 * c["num_warps"]), 32)


def worth_timing(candidates):
    return max(candidates, key=lambda c: (min(resident(c) * c["bytes"], 65536), resident(c) * c["num_warps"]))
