# exercise: 17.1
def request_sectors(address, lanes, stride, itemsize):
    seen, before = 0, None
    for lane in range(lanes):
        sector = (address + lane * stride * itemsize) // 32
        if sector != before:
            seen, before = seen + 1, sector
    return seen
