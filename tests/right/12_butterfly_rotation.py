# exercise: 12.2
def butterfly(lanes, combine):
    n, offset = len(lanes), 1
    while offset < n:
        lanes = [combine(lanes[i], lanes[(i + offset) % n]) for i in range(n)]
        offset *= 2
    return lanes
