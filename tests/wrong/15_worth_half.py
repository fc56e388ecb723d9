# exercise: 15.1
# mistake: too-many-kept
def resident(c):
    registers = -(-c["n_regs"] * 32 // 256) * 256 * c["num_warps"]
    return min(65536 // registers, 2048 // (32 * c["num_warps"]), 32)


def worth_timing(candidates):
    good = sorted(candidates, key=lambda c: (not c["n_spills"], min(resident(c) * c["bytes"], 65536)), reverse=True)
    return good[: len(good) // 2]
