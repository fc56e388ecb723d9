# exercise: 0.1
def double(x):
    return x.mul(2)
