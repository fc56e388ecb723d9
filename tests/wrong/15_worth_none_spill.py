# exercise: 15.1
# mistake: nothing-kept
def resident(c):
    registers = -(-c["n_regs"] * 32 // 256) * 256 * c["num_warps"]
    return min(65536 // registers, 2048 // (32 * c["num_warps"]), 32)


def worth_timing(candidates):
    good = [c for c in candidates if c["n_spills"] == 0 and resident(c) * c["num_warps"] > 64]
    return good[: len(candidates) // 3]
