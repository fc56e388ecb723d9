# exercise: 2.3
import numpy as np


def floor_time(m, n, itemsize, bandwidth):
    return np.float32(2 * m * n * itemsize / bandwidth)
