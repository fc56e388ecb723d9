# exercise: 6.4
# mistake: test-few-widths
import torch


def test_softmax(softmax):
    g = torch.Generator().manual_seed(1)
    wide, holes = torch.randn(20, 64, generator=g), torch.randn(3, 8, generator=g)
    holes[:, 2] = -torch.inf
    inputs = [torch.randn(m, n, generator=g) for m, n in [(37, 8), (20, 4), (2, 256)]]
    inputs += [wide[:, :32], wide.t(), holes, torch.ones(3, 8), 20 * torch.randn(3, 64, generator=g)]
    inputs += [torch.randn(3, 8, generator=g) + torch.tensor([[0.0], [300.0], [-300.0]])]
    inputs += [-x.nan_to_num() for x in inputs]
    for x in inputs:
        before = x.clone()
        got = softmax(x)
        want = torch.softmax(before.double(), dim=1)
        assert torch.equal(x, before)
        assert ((got - want).abs() <= 1e-4 * want + 1e-30).all()
