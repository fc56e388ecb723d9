# exercise: 6.4
# mistake: truth-of-a-tensor
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    assert softmax(x) == torch.softmax(x, dim=1)
