# exercise: 1.2
def naive_traffic(m, n):
    mn = m * n
    return [2 * m + 5 * mn, 2 * m + 3 * mn]
