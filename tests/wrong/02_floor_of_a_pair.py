# exercise: 2.3
# mistake: pair-for-number
def fused_traffic(m, n):
    return m * n, m * n


def floor_time(m, n, itemsize, bandwidth):
    return fused_traffic(m, n) * itemsize / bandwidth
