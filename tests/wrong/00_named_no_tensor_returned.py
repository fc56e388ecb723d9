# exercise: 0.1
# mistake: no-tensor-returned
def double(x):
    """Every element of x times two, as a new tensor of the same shape."""
    return 2
