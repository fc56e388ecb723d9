# exercise: 17.1
import numpy as np


def request_sectors(address, lanes, stride, itemsize):
    places = address + np.arange(lanes) * stride * itemsize
    return np.unique(places >> 5).size
