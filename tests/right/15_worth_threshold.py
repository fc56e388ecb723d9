# exercise: 15.1
def resident(c):
    return c["resident"]


ENOUGH = 32 * 1024


def worth_timing(candidates):
    most = max(1, len(candidates) // 3)
    enough = [c for c in candidates if not c["n_spills"] and resident(c) * c["bytes"] >= ENOUGH]
    by_warps = sorted(enough or candidates, key=lambda c: resident(c) * c["num_warps"])
    return by_warps[-most:]
