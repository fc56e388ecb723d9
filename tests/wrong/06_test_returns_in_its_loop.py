# exercise: 6.4
# mistake: test-ends-in-its-loop
import torch

def test_softmax(softmax):
    """Fails when softmax(x) is not the softmax of each row of x, for float32 matrices x."""
    # Choose inputs; for each: call softmax, compute the right values, compare (about 20 lines).
    g = torch.Generator().manual_seed(0)
    wide = torch.randn(20, 40, generator=g)
    holes = torch.randn(3, 6, generator=g)
    holes[:, 2] = -torch.inf
    inputs = [torch.randn(m, n, generator=g) for m, n in [(37, 5), (20, 1), (1, 64), (2, 1500)]]
    inputs += [wide[:, :30], wide.t(), holes, torch.ones(3, 7), 20 * torch.randn(3, 50, generator=g)]
    inputs += [torch.randn(3, 7, generator=g) + torch.tensor([[0.0], [300.0], [-300.0]])]
    inputs += [-x.nan_to_num() for x in inputs]  # the same shapes again, other values
    for x in inputs:
        before = x.clone()
        got = softmax(x)
        want = torch.softmax(before.double(), dim=1)
        assert torch.equal(x, before), "the input was changed"
        assert got.shape == x.shape and got.dtype == x.dtype, "another shape or dtype"
        assert ((got - want).abs() <= 1e-4 * want + 1e-30).all(), "wrong values"
        return True
