# exercise: 6.1
# mistake: signature-changed
import torch


def breaks_a(x):
    return x
