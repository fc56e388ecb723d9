# exercise: 16.3
import torch


def right(x, t):
    x = x.double().requires_grad_()
    value = torch.nn.functional.cross_entropy(x, t)
    value.backward()
    return value.item(), x.grad


def batch(m, n, wide, middle, ignored, seed):
    g = torch.Generator().manual_seed(seed)
    x = middle + wide * torch.randn(m, n, generator=g)
    t = torch.randint(n, (m,), generator=g)
    t[0], t[1] = 0, n - 1
    if ignored:
        t[2 : 2 + ignored] = -100
    return x, t


def test_cross_entropy(loss, gradient):
    sizes = [
        (6, 4, 1, 0, 0),
        (6, 4, 1, 0, 3),
        (5, 30, 1, 300, 1),
        (5, 31, 1, -300, 2),
        (8, 33, 40, 0, 2),
        (4, 3000, 1, 0, 1),
    ]
    for seed, size in enumerate(sizes):
        x, t = batch(*size, seed)
        value, dx = right(x, t)
        kept = x.clone()
        got = float(loss(x, t))
        assert abs(got - value) < 1e-4 * (1 + value)
        found = gradient(x, t)
        assert torch.equal(kept, x)
        torch.testing.assert_close(found.double(), dx, rtol=1e-3, atol=1e-8)
