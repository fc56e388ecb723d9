# exercise: 6.4
# mistake: test-refuses-pytorch
import torch


def test_softmax(softmax):
    for m, n in [(3, 5), (7, 100)]:
        x = torch.randn(m, n)
        want = torch.softmax(x.double(), 1)
        if ((softmax(x) - want).abs() / want).max() > 1e-8:
            raise ValueError("softmax is wrong")
