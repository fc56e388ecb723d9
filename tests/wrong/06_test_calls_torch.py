# exercise: 6.4
# mistake: test-calls-nothing
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    got = torch.softmax(x, dim=1)
    assert torch.allclose(got, torch.softmax(x, dim=1))
