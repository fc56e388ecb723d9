# exercise: 12.2
# mistake: combine-ignored
def butterfly(lanes, combine):
    offset = len(lanes) // 2
    while offset > 0:
        lanes = [lanes[i] + lanes[i ^ offset] for i in range(len(lanes))]
        offset //= 2
    return lanes
