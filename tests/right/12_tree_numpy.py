# exercise: 12.1
import numpy as np


def tree_reduce(values):
    v = np.array(values)
    states = [v.tolist()]
    while v.size > 1:
        v = v.reshape(2, -1).sum(axis=0)
        states.append(v.tolist())
    return states
