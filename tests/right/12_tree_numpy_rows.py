# exercise: 12.1
import numpy as np


def tree_reduce(values):
    v = np.array(values)
    states = [list(v)]
    for _ in range(int(np.log2(len(values)))):
        half = len(v) // 2
        v = v[:half] + v[half:]
        states.append(list(v))
    return tuple(states)
