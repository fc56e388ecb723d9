# exercise: 1.2
# mistake: not-two-numbers
def naive_traffic(m, n):
    return "5mn + 2m", "3mn + 2m"
