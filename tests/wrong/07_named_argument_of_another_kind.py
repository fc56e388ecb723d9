# exercise: 7.2
# mistake: argument-of-another-kind
import torch

def tolerance(dtype, n):
    """(rtol, atol) for torch.allclose: softmax outputs of rows of n elements in this torch dtype, against float64."""
    info = torch.finfo(n)
    rtol = 2 * max(info.eps, 5e-06)
    return (rtol, info.smallest_normal * info.eps)
