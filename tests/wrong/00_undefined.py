# exercise: 0.1
# mistake: name-undefined
def double(x):
    return 2 * X
