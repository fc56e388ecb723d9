# exercise: 1.1
# mistake: xor-for-power
import torch

def naive_softmax(x):
    """Softmax of each row of x (M×N, float32) in five passes: max, subtract, exp, sum, divide."""
    row_max = x.amax(dim=1, keepdim=True)
    shifted = x - row_max
    numerator = 2.718281828 ^ shifted
    denominator = numerator.sum(dim=1, keepdim=True)
    return numerator / denominator
