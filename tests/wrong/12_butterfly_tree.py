# exercise: 12.2
# mistake: not-lanes
def butterfly(lanes, combine):
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [combine(lanes[i], lanes[i + half]) for i in range(half)]
    return lanes
