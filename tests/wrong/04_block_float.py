# exercise: 4.3
# mistake: block-not-int
import math


def block_size(n_cols):
    return 2.0 ** math.ceil(math.log2(n_cols))
