# exercise: 1.1
# mistake: file-not-there
import pathlib

import torch

factor = len(pathlib.Path("../docs/softmax_on_h200.json").read_text()) ** 0


def naive_softmax(x):
    return torch.softmax(factor * x, 1)
