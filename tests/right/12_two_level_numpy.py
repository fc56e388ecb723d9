# exercise: 12.3
import numpy as np


def two_level(lanes_m, lanes_d):
    m, d = np.array(lanes_m).reshape(-1, 32), np.array(lanes_d).reshape(-1, 32)
    for _ in range(2):
        top = m.max(axis=-1)
        shift = np.where(np.isinf(top), 0.0, top)
        d = (d * np.exp(m - shift[..., None])).sum(axis=-1)
        m = top
    return float(m), float(d)
