# exercise: 17.3
def culprit(page, limit):
    most, line = -1, None
    for row in page:
        if limit == "spills":
            excess = row["L2 Theoretical Sectors Local"]
        else:
            name = "L2 Theoretical Sectors Global" if limit == "uncoalesced" else "L1 Wavefronts Shared"
            excess = row[name] - row[f"{name} Ideal"]
        if excess >= most:
            most, line = excess, row["line"]
    return line
