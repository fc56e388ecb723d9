# exercise: 15.1
# mistake: returns-nothing
def resident(c):
    return c["resident"]


def worth_timing(candidates):
    candidates.sort(key=lambda c: (c["n_spills"] == 0, min(resident(c) * c["bytes"], 65536)), reverse=True)
