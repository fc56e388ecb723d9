# exercise: 6.4
# mistake: endless
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    while not torch.allclose(softmax(x), torch.softmax(x, dim=1)):
        pass
