# exercise: 2.2
def ideal_speedup(m, n):
    return 4 + 2 / n
