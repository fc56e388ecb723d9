# exercise: 17.3
import numpy as np


def culprit(page, limit):
    name = {"uncoalesced": "L2 Theoretical Sectors Global", "bank conflicts": "L1 Wavefronts Shared"}.get(
        limit, "L2 Theoretical Sectors Local"
    )
    excess = np.array([row[name] - row.get(name + " Ideal", 0) for row in page])
    return page[int(excess.argmax())]["line"]
