# exercise: 15.1
# mistake: not-candidates
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    return max(candidates, key=lambda c: (min(resident(c) * c["bytes"], 65536), resident(c) * c["num_warps"]))
