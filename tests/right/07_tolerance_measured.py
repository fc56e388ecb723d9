# exercise: 7.2
import torch


def tolerance(dtype, n):
    x = torch.randn(8, n, generator=torch.Generator().manual_seed(0)).to(dtype)
    x[:, 0] += 20
    want = torch.softmax(x.double(), dim=1)
    got = torch.softmax(x.float(), dim=1).to(dtype).double()
    normal = want > 1e-4
    rtol = 4 * ((got - want).abs() / want)[normal].max().item() + 1e-5 + torch.finfo(dtype).eps
    return rtol, 1e-7 if dtype == torch.float16 else 0.0
