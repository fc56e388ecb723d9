# exercise: 7.2
# mistake: no-such-attribute
import torch

def tolerance(dtype, n):
    """(rtol, atol) for torch.allclose: softmax outputs of rows of n elements in this torch dtype, against float64."""
    info = dtype
    rtol = 2 * max(info.eps, 5e-06)
    return (rtol, info.smallest_normal * info.eps)
