# exercise: 2.1
# mistake: one-line-left-out
def fused_traffic(m, n):
    return m * (n - 1), m * (n - 1)
