# exercise: 12.1
# mistake: elements-do-not-fill
import numpy as np

def tree_reduce(values):
    v = np.array(values)
    states = [v.tolist()]
    while True:
        v = v.reshape(2, -1).sum(axis=0)
        states.append(v.tolist())
    return states
