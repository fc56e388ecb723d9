# exercise: 6.4
# mistake: input-no-matrix
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8).half()
    assert torch.allclose(softmax(x), torch.softmax(x, dim=1))
