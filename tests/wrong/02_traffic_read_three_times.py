# exercise: 2.1
# mistake: input-read-again
def fused_traffic(m, n):
    return 3 * m * n, m * n
