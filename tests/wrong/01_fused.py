# exercise: 1.2
# mistake: fused-counted
def naive_traffic(m, n):
    return m * n, m * n
