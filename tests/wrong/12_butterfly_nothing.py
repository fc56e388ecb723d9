# exercise: 12.2
# mistake: returns-nothing
def butterfly(lanes, combine):
    offset = len(lanes) // 2
    while offset > 0:
        lanes = [combine(lanes[i], lanes[i ^ offset]) for i in range(len(lanes))]
        offset //= 2
