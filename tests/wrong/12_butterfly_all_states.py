# exercise: 12.2
# mistake: not-lanes
def butterfly(lanes, combine):
    states, offset = [lanes], len(lanes) // 2
    while offset > 0:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        states.append(lanes)
        offset //= 2
    return states
