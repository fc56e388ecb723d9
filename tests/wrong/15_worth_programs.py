# exercise: 15.1
# mistake: little-under-way
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    return sorted(candidates, key=resident, reverse=True)[: len(candidates) // 3]
