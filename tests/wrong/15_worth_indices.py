# exercise: 15.1
# mistake: not-candidates
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    order = sorted(range(len(candidates)), key=lambda i: resident(candidates[i]) * candidates[i]["bytes"])
    return order[-(len(candidates) // 3) :]
