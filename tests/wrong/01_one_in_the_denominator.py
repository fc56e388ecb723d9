# exercise: 1.1
# mistake: not-divided-by-its-sum
import torch

def naive_softmax(x):
    """Softmax of each row of x (M×N, float32) in five passes: max, subtract, exp, sum, divide."""
    # Five lines, one operation each.
    row_max = x.amax(dim=1, keepdim=True)
    shifted = x - row_max
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=1, keepdim=True)
    return numerator / (1 + denominator)
