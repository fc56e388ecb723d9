# exercise: 6.3
# mistake: name-undefined
import torch


def breaks_c():
    return softmax_input
