# exercise: 12.2
# mistake: butterfly-in-place
def butterfly(lanes, combine):
    offset = 1
    while offset < len(lanes):
        for lane in range(len(lanes)):
            lanes[lane] = combine(lanes[lane], lanes[lane ^ offset])
        offset *= 2
    return lanes
