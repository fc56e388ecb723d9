# exercise: 0.1
# mistake: unchanged
def double(x):
    return x
