# exercise: 6.4
# mistake: test-ignores-places
import torch


def test_softmax(softmax):
    x = torch.rand(4, 5000)
    assert torch.allclose(softmax(x), torch.softmax(x, dim=1), atol=1e-3)
