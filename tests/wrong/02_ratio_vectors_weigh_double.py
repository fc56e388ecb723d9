# exercise: 2.2
# mistake: vectors-weigh-double
def ideal_speedup(m, n):
    return 4 + 4 / n
