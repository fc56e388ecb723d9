# exercise: 2.3
import numpy as np


def floor_time(m, n, itemsize, bandwidth):
    return np.float64(m) * n * 2 * itemsize / bandwidth
