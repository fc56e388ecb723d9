# exercise: 12.2
# mistake: butterfly-not-run
def butterfly(lanes, combine):
    offset = len(lanes) // 2
    return lanes
    while offset > 0:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset //= 2
    return lanes
