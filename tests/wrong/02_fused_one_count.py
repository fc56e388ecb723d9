# exercise: 2.1
# mistake: one-count-for-both
def fused_traffic(m, n):
    return 2 * m * n, 0
