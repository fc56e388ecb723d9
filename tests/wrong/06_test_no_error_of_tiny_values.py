# exercise: 6.4
# mistake: test-refuses-pytorch
import torch
def test_softmax(softmax):
    torch.manual_seed(0)
    for m, n in [(1, 1), (3, 5), (4, 5000), (7, 257), (17, 64)]:
        for scale in (1, 30):
            x = torch.randn(m, n) * scale
            want = torch.softmax(x.double(), dim=1)
            got = softmax(x.clone())
            assert torch.allclose(got.double(), want, rtol=1e-4, atol=0)
