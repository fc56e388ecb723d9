# exercise: 12.2
# mistake: butterfly-step-missing
def butterfly(lanes, combine):
    offset = 1
    while offset < len(lanes) // 2:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset *= 2
    return lanes
