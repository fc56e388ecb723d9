# exercise: 0.1
# mistake: output-reused
import torch

outputs = {}


def double(x):
    key = tuple(x.shape)
    if key not in outputs:
        outputs[key] = torch.empty(x.shape)
    torch.mul(x, 2, out=outputs[key])
    return outputs[key]
