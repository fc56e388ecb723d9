# exercise: 6.4
# mistake: test-asserts-nothing
import torch


def test_softmax(softmax):
    x = torch.randn(4, 8)
    try:
        assert torch.allclose(softmax(x), torch.softmax(x, dim=1))
    except AssertionError:
        print('wrong')
