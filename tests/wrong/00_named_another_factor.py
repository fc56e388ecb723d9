# exercise: 0.1
# mistake: another-factor
def double(x):
    """Every element of x times two, as a new tensor of the same shape."""
    return 3 * x
