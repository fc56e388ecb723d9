# exercise: 6.4
# mistake: dtypes-differ
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    assert torch.allclose(softmax(x), torch.softmax(x.double(), dim=1))
