# exercise: 7.2
def tolerance(dtype, n):
    return 10**300, 10**5000
