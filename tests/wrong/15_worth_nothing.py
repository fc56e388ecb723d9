# exercise: 15.1
# mistake: returns-nothing
def resident(c):
    registers = -(-c["n_regs"] * 32 // 256) * 256 * c["num_warps"]
    return min(65536 // registers, 2048 // (32 * c["num_warps"]), 32)


def worth_timing(candidates):
    candidates.sort(key=lambda c: (c["n_spills"] == 0, min(resident(c) * c["bytes"], 65536)), reverse=True)
