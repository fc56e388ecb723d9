# exercise: 6.4
# mistake: assert-of-a-tuple
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    assert (torch.allclose(softmax(x), torch.softmax(x, dim=1)), 'wrong')
