# exercise: 2.3
# mistake: earlier-wrong
def fused_traffic(m, n):
    return 2 * m * n


def floor_time(m, n, itemsize, bandwidth):
    return sum(fused_traffic(m, n)) * itemsize / bandwidth
