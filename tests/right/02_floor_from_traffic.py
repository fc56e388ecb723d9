# exercise: 2.3
def fused_traffic(m, n):
    return m * n, m * n


def floor_time(m, n, itemsize, bandwidth):
    read, written = fused_traffic(m, n)
    return read * itemsize / bandwidth + written * itemsize / bandwidth
