# exercise: 12.2
# mistake: butterfly-in-place
def butterfly(lanes, combine):
    lanes = list(lanes)
    offset = len(lanes) // 2
    while offset > 0:
        for lane in range(len(lanes)):
            lanes[lane] = combine(lanes[lane], lanes[lane ^ offset])
        offset //= 2
    return lanes
