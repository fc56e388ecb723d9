# exercise: 12.2
# mistake: butterfly-offsets
def butterfly(lanes, combine):
    for offset in range(1, len(lanes)):
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
    return lanes
