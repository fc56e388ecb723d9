# exercise: 12.2
# mistake: butterfly-lane-zero
def butterfly(lanes, combine):
    offset, n = len(lanes) // 2, len(lanes)
    while offset > 0:
        lanes = [combine(lanes[i], lanes[i + offset]) if i + offset < n else lanes[i] for i in range(n)]
        offset //= 2
    return lanes
