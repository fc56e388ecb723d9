# exercise: 15.1
# mistake: no-such-entry
def worth_timing(candidates):
    return sorted(candidates, key=lambda c: c["time"])[: len(candidates) // 3]
