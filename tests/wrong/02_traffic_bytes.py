# exercise: 2.1
# mistake: bytes-not-elements
def fused_traffic(m, n):
    return 4 * m * n, 4 * m * n
