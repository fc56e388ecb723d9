# exercise: 6.4
from itertools import product
from math import inf
import pytest
import torch
from torch.testing import assert_close

GENERATOR = torch.Generator().manual_seed(64)


def rand(m, n, scale=1.0):
    return scale * torch.randn(m, n, generator=GENERATOR)


@pytest.fixture
def tolerance():
    return 1e-4


def cases():
    yield from (rand(m, n) for m, n in ((37, 5), (20, 1), (1, 64), (2, 1500), (16, 4)))
    yield rand(20, 40)[:, :30]
    yield rand(40, 20).t()
    yield rand(3, 12)[:, ::2]
    yield torch.ones(3, 7)
    yield rand(3, 50, 20)
    yield rand(3, 7) + torch.tensor([0.0, 300.0, -300.0])[:, None]
    x = rand(3, 6)
    x[:, 2] = -inf
    yield x


def check_one(softmax, x):
    original = x.detach().clone()
    y = softmax(x)
    assert_close(x, original, rtol=0, atol=0)
    expected = torch.nn.functional.softmax(original.to(torch.float64), dim=-1)
    assert y.dtype == torch.float32 and y.size() == x.size()
    assert_close(y.to(torch.float64), expected, rtol=1e-4, atol=1e-30)
    assert y.sum(1).tolist() == pytest.approx([1.0] * len(x), rel=1e-3)


def test_softmax(softmax):
    for x in list(cases()):
        for sign in (1, -1):
            check_one(softmax, x if sign == 1 else -x.nan_to_num())
