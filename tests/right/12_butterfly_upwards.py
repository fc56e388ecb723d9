# exercise: 12.2
def butterfly(lanes, combine):
    offset = 1
    while offset < len(lanes):
        old = list(lanes)
        for lane in range(len(old)):
            lanes[lane] = combine(old[lane ^ offset], old[lane])
        offset *= 2
    return lanes
