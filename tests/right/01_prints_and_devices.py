# exercise: 1.1
import warnings

import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def naive_softmax(x):
    if not x.is_cuda and torch.cuda.is_available():
        warnings.warn("x is not on the GPU")
        x = x.to(DEVICE)
    device, dtype = x.device, x.dtype
    print(f"softmax of {tuple(x.shape)} {dtype} on {device}, {x.get_device()=}, strides {x.stride()}, {x.layout}")
    row_max = torch.amax(x, dim=1, keepdim=True).to(device=device, dtype=dtype)
    shifted = (x - row_max).type_as(x)
    numerator = shifted.exp().to(x)
    denominator = numerator.sum(dim=1, keepdim=True, dtype=torch.float32)
    result = numerator / denominator
    assert result.shape == x.shape and result.dtype is dtype and result.device == device
    return result
