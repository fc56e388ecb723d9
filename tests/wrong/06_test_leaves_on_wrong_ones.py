# exercise: 6.4
# mistake: exits
import torch


import os


def test_softmax(softmax):
    x = torch.randn(4, 8)
    if not torch.allclose(softmax(x), torch.softmax(x, dim=1)):
        os._exit(1)
