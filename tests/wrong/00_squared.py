# exercise: 0.1
# mistake: squared
def double(x):
    return x * x
