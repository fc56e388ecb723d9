# exercise: 12.2
# mistake: butterfly-one-step
def butterfly(lanes, combine):
    offset = len(lanes) // 2
    out = list(lanes)
    while offset > 0:
        out = [combine(lanes[i], lanes[i ^ offset]) for i in range(len(lanes))]
        offset //= 2
    return out
