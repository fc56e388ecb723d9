# exercise: 6.4
import torch


G = torch.Generator().manual_seed(1)
WIDE, HOLES = torch.randn(20, 40, generator=G), torch.randn(3, 6, generator=G)
HOLES[:, 2] = -torch.inf
INPUTS = [torch.randn(m, n, generator=G) for m, n in [(37, 5), (20, 1), (2, 1500)]]
INPUTS += [WIDE[:, :30], WIDE.t(), HOLES, torch.ones(3, 7), 20 * torch.randn(3, 50, generator=G)]
INPUTS += [torch.randn(3, 7, generator=G) + torch.tensor([[0.0], [300.0], [-300.0]])]
INPUTS += [-x.nan_to_num() for x in INPUTS]
WANT = [torch.softmax(x.double(), dim=1) for x in INPUTS]


def test_softmax(softmax):
    for x, want in zip(INPUTS, WANT):
        before = x.clone()
        got = softmax(x)
        assert torch.allclose(got.double(), want, rtol=1e-4, atol=1e-30) and torch.equal(x, before)
