# exercise: 2.4
import numpy as np


def bound_by(intensity, flops, bandwidth):
    return np.where(intensity * bandwidth < flops, "memory", "compute")
