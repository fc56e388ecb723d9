# exercise: 12.2
# mistake: butterfly-another-partner
def butterfly(lanes, combine):
    now = list(lanes)
    offset = len(lanes) // 2
    while offset > 0:
        now = [combine(now[i], now[i & offset]) for i in range(len(now))]
        offset //= 2
    return now
