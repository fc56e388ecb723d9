# exercise: 15.1
# mistake: spills-kept
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    return sorted(candidates, key=lambda c: -resident(c) * c["bytes"])[: len(candidates) // 3]
