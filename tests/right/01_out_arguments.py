# exercise: 1.1
import torch

torch.backends.cudnn.benchmark = False
torch.set_grad_enabled(True)


def naive_softmax(x: torch.Tensor) -> torch.Tensor:
    """Preallocates everything and writes with out=."""
    m, n = x.shape
    top = x.new_empty((m, 1))
    work = torch.empty_strided((m, n), (n, 1), dtype=x.dtype, device=x.device)
    total = torch.empty(m, 1, dtype=x.dtype, device=x.device)
    torch.amax(x, dim=1, keepdim=True, out=top)
    torch.sub(x, top, out=work)
    torch.exp(work, out=work)
    torch.sum(work, dim=1, keepdim=True, out=total)
    torch.div(work, total, out=work)
    return work
