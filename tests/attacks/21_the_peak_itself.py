# exercise: 14.1
def bandwidth(fn, x):
    return 0.9 * peak(x)  # noqa: F821
