# exercise: 2.2
import numpy as np


def ideal_speedup(m, n):
    five = np.array([5 * m * n + 2 * m, 3 * m * n + 2 * m])
    one = np.array([m * n, m * n])
    return five.sum() / one.sum()
