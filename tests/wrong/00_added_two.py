# exercise: 0.1
# mistake: added-two
def double(x):
    return x + 2
