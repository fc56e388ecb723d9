# exercise: 6.4
# mistake: test-returns
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    return torch.allclose(softmax(x), torch.softmax(x, dim=1))
