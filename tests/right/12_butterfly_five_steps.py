# exercise: 12.2
def butterfly(lanes, combine):
    for offset in (16, 8, 4, 2, 1):
        if offset < len(lanes):
            lanes = tuple(combine(v, lanes[lane ^ offset]) for lane, v in enumerate(lanes))
    return lanes
