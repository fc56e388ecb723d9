# exercise: 6.4
# mistake: test-refuses-pytorch
import torch


def test_softmax(softmax):
    x = torch.tensor([[1000.0, 0.0, -1000.0]])
    want = torch.softmax(x.double(), dim=1)
    assert ((softmax(x) - want).abs() / want).max() < 1e-4
