# exercise: 2.1
# mistake: not-two-numbers
def fused_traffic(m, n):
    return 2 * m * n
