# exercise: 2.1
# mistake: five-passes-counted
def fused_traffic(m, n):
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m
