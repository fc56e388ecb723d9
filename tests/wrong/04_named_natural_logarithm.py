# exercise: 4.3
# mistake: natural-logarithm
import math


def block_size(n_cols):
    return 2 ** math.ceil(math.log(n_cols))
