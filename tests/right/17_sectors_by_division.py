# exercise: 17.1
def request_sectors(address, lanes, stride, itemsize):
    step = stride * itemsize
    if step >= 32:
        return lanes
    last = address + (lanes - 1) * step
    return last // 32 - address // 32 + 1
