# exercise: 0.1
# mistake: text-not-closed
def double(x):
    """Every element of x times two, as a new tensor of the same shape."""
    # One line, with return.
    print("doubled)
    return 2 * x
