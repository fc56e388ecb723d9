# exercise: 1.2
# mistake: returns-nothing
def naive_traffic(m, n):
    print(5 * m * n + 2 * m, 3 * m * n + 2 * m)
