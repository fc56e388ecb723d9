# exercise: 0.1
# mistake: changed-before-set
k = 2


def double(x):
    k += 0
    return k * x
