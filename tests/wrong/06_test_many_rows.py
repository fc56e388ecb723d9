# exercise: 6.4
# mistake: input-too-large
import torch


def test_softmax(softmax):
    x = torch.randn(1823, 781)
    assert torch.allclose(softmax(x), torch.softmax(x, dim=1))
