# exercise: 12.4
# mistake: kernel-text-expected
def copy_rows(x):
    return x


sum_rows = None
