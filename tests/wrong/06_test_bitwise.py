# exercise: 6.4
# mistake: test-refuses-right
import torch


def test_softmax(softmax):
    x = torch.randn(40, 8)
    assert torch.equal(softmax(x), torch.softmax(x, dim=1))
