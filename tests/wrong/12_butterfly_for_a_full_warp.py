# exercise: 12.2
# mistake: butterfly-too-far
def butterfly(lanes, combine):
    for offset in (16, 8, 4, 2, 1):
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
    return lanes
