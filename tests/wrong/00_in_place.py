# exercise: 0.1
# mistake: input-overwritten
def double(x):
    x *= 2
    return x
