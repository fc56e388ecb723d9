# exercise: 17.3
COLUMNS = {
    "uncoalesced": ("L2 Theoretical Sectors Global", "L2 Theoretical Sectors Global Ideal"),
    "bank conflicts": ("L1 Wavefronts Shared", "L1 Wavefronts Shared Ideal"),
    "spills": ("L2 Theoretical Sectors Local", None),
}


def culprit(page, limit):
    counted, ideal = COLUMNS[limit]
    found = sorted(((row[counted] - row.get(ideal, 0), row["line"]) for row in page), reverse=True)
    return found[0][1]
