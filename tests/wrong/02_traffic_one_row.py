# exercise: 2.1
# mistake: one-row-counted
def fused_traffic(m, n):
    return n, n
