# exercise: 16.3
import torch


def test_cross_entropy(loss, gradient):
    torch.manual_seed(1)
    for n in (3, 17, 2500):
        for middle, wide in ((0.0, 1.0), (150.0, 2.0), (-150.0, 2.0), (0.0, 60.0)):
            logits = wide * torch.randn(5, n) + middle
            target = torch.tensor([0, n - 1, -100, n // 2, -100])
            before = logits.clone()
            exact = logits.double()
            counted = target >= 0
            lse = torch.logsumexp(exact, 1)
            losses = (lse - exact.gather(1, target.clamp(min=0)[:, None])[:, 0])[counted]
            p = torch.exp(exact - lse[:, None])
            p[torch.arange(5)[counted], target[counted]] -= 1
            p[~counted] = 0
            p /= counted.sum()
            assert torch.isclose(loss(logits, target).double(), losses.mean(), rtol=1e-5, atol=1e-4)
            assert logits.equal(before)
            assert torch.allclose(gradient(logits, target).double(), p, rtol=1e-3, atol=1e-5 / n)
            assert logits.equal(before)
