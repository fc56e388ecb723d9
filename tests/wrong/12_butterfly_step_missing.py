# exercise: 12.2
# mistake: butterfly-step-missing
def butterfly(lanes, combine):
    offset = len(lanes) // 2
    while offset > 1:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset //= 2
    return lanes
