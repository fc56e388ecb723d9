# exercise: 12.2
# mistake: butterfly-in-place
def butterfly(lanes, combine):
    new = list(lanes)
    offset = len(lanes) // 2
    while offset > 0:
        for lane in range(len(lanes)):
            new[lane] = combine(lanes[lane], lanes[lane ^ offset])
        lanes = new
        offset //= 2
    return new
