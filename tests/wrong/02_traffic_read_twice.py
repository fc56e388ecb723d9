# exercise: 2.1
# mistake: row-read-twice
def fused_traffic(m, n):
    return 2 * m * n, m * n
