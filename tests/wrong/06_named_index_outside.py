# exercise: 6.2
# mistake: index-outside
import torch

def breaks_b():
    """A float32 matrix on which softmax_b is wrong and a right kernel is not."""
    x = torch.zeros(1)
    x[0, 80] = 200.0
    return x
