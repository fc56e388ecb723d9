# exercise: 6.4
import torch


def close(got, want):
    return bool(((got.double() - want).abs() <= 1e-4 * want + 1e-20).all())


def one(softmax, x):
    kept = x.clone()
    for scale in (1.0, -1.0, 1.5):
        y = kept.nan_to_num(neginf=-50.0) * scale if scale < 0 else kept * scale
        z = torch.empty_strided(x.shape, x.stride()).copy_(y)
        assert close(softmax(z), torch.softmax(y.double(), dim=1))
        assert torch.equal(z, y)


def test_softmax(softmax):
    torch.manual_seed(3)
    with_inf = torch.randn(5, 9)
    with_inf[:, 4] = float("-inf")
    for x in (torch.randn(33, 6), torch.randn(2, 1100), torch.zeros(2, 3), torch.randn(7, 20).t(), with_inf):
        one(softmax, x)
    big = torch.randn(6, 12)
    assert close(softmax(big[:, ::2]), torch.softmax(big[:, ::2].double(), dim=1))
    assert close(softmax(big[:, :5]), torch.softmax(big[:, :5].double(), dim=1))
    far = torch.tensor([[300.0, 290.0, 299.0], [-300.0, -299.0, -310.0]])
    assert close(softmax(far), torch.softmax(far.double(), dim=1))
