# exercise: 16.3
import math

import torch


def expected(x, t):
    log_p = torch.log_softmax(x.double(), 1)
    counted = t != -100
    column = t.clamp(min=0)
    count = counted.sum()
    loss = -log_p.gather(1, column[:, None])[:, 0][counted].sum() / count
    dx = log_p.exp()
    dx[torch.arange(len(x)), column] -= 1
    return loss, torch.where(counted[:, None], dx / count, 0.0)


def batches():
    torch.manual_seed(3)
    for m, n, wide, middle in [(1, 1, 1, 0), (4, 7, 1, -300), (5, 130, 20, 200)]:
        x, t = middle + wide * torch.randn(m, n), torch.randint(n, (m,))
        t[0] = n - 1
        if m > 1:
            t[1] = 0
            x[0, : n // 2] = -math.inf  # more than a tile of many a walk
        yield x, t
        yield x, torch.where(torch.arange(m) == 2, -100, t)
    yield torch.randn(3, 20), torch.full((3,), -100)  # no row counts
    yield 20 * torch.randn(3, 9000), torch.tensor([8999, 0, 4500])


def test_cross_entropy(loss, gradient):
    for x, t in batches():
        kept = x.clone()
        value, dx = expected(x, t)
        torch.testing.assert_close(loss(x, t).double().squeeze(), value, rtol=1e-4, atol=1e-6, equal_nan=True)
        torch.testing.assert_close(gradient(x, t).double(), dx, rtol=1e-3, atol=1e-7)
        assert torch.equal(x, kept)
