# exercise: 2.1
# mistake: steps-stored
def fused_traffic(m, n):
    return m * n, 2 * m * n
