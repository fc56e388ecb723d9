# exercise: 15.1
# mistake: too-many-kept
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    good = sorted(candidates, key=lambda c: (not c["n_spills"], min(resident(c) * c["bytes"], 65536)), reverse=True)
    return good[: len(good) // 2]
