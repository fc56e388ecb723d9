# exercise: 2.1
# mistake: five-passes-counted
def fused_traffic(m, n):
    return 5 * m * n, m * n
