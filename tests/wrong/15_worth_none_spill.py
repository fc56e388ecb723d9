# exercise: 15.1
# mistake: no-candidate
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    good = [c for c in candidates if c["n_spills"] == 0 and resident(c) * c["num_warps"] > 64]
    return good[: len(candidates) // 3]
