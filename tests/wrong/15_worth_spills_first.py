# exercise: 15.1
# mistake: few-warps-resident
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    return sorted(candidates, key=lambda c: -c["n_spills"] - c["bytes"] / 1e9)[: 1 + 0 * len(candidates)]
