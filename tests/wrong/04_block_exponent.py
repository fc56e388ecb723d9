# exercise: 4.3
# mistake: block-exponent
import math


def block_size(n_cols):
    return math.ceil(math.log2(n_cols))
