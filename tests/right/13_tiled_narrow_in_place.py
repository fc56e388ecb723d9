# exercise: 13.1
import torch


@torch.no_grad()
def tiled_attention(q, k, v, tile):
    n, d = k.size()
    scale = d**-0.5
    m = torch.full((q.size(0),), float("-inf"), dtype=q.dtype, device=q.device)
    l = torch.zeros((q.size(0),), dtype=q.dtype, device=q.device)
    o = torch.zeros((q.size(0), v.size(1)), dtype=q.dtype, device=q.device)
    s_buffer = torch.empty((q.size(0), min(tile, n)), dtype=q.dtype, device=q.device)
    start = 0
    while start < n:
        length = min(tile, n - start)
        s = s_buffer.narrow(1, 0, length)
        torch.matmul(q, k.narrow(0, start, length).transpose(0, 1), out=s) if length == s_buffer.size(1) else s.copy_(
            q @ k.narrow(0, start, length).T
        )
        s.mul_(scale)
        new = torch.maximum(m, s.amax(1))
        factor = (m - new).exp()
        s.sub_(new[:, None]).exp_()
        l.mul_(factor).add_(s.sum(1))
        o.mul_(factor[:, None]).addmm_(s, v.narrow(0, start, length))
        m.copy_(new)
        start += length
    return o.div_(l.unsqueeze(1))
