# exercise: 2.2
# mistake: one-direction
def ideal_speedup(m, n):
    return 5 * m * n / (m * n)
