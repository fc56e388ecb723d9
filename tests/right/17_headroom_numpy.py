# exercise: 17.4
import numpy as np


def headroom(report, least_bytes, copy_rate):
    seconds = np.float64(report["gpu__time_duration.sum"]) / 1e9
    return np.maximum(1, seconds / (least_bytes / copy_rate))
