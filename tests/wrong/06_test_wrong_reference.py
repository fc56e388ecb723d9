# exercise: 6.4
# mistake: test-refuses-pytorch
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    want = torch.softmax(x.double(), dim=0)
    assert ((softmax(x) - want).abs() <= 1e-4 * want).all()
