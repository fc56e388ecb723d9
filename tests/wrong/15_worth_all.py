# exercise: 15.1
# mistake: too-many-kept
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    return sorted(candidates, key=lambda c: resident(c) * c["bytes"], reverse=True)
