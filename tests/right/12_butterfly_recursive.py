# exercise: 12.2
def butterfly(lanes, combine):
    if len(lanes) == 1:
        return lanes
    half = len(lanes) // 2
    low, high = butterfly(lanes[:half], combine), butterfly(lanes[half:], combine)
    return [combine(a, b) for a, b in zip(low, high)] * 2
