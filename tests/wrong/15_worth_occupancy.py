# exercise: 15.1
# mistake: little-under-way
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    def occupancy(c):
        return resident(c) * c["num_warps"] / 64

    return sorted(candidates, key=occupancy)[-(len(candidates) // 3) :]
