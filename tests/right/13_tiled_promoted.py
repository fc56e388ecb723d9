# exercise: 13.1
import torch


def tiled_attention(q, k, v, tile):
    dtype = torch.promote_types(q.dtype, torch.float64)
    work = q.to(dtype) * q.shape[1] ** -0.5
    m = work.new_full((q.shape[0], 1), torch.finfo(dtype).min)
    l = work.new_zeros(q.shape[0], 1)
    o = work.new_zeros(q.shape[0], v.shape[1])
    for kt, vt in zip(torch.split(k, tile), torch.split(v, tile)):
        s = work @ kt.to(dtype).T
        new = torch.maximum(m, s.amax(1, keepdim=True))
        f, p = torch.exp(m - new), torch.exp(s - new)
        l, o, m = l * f + p.sum(1, keepdim=True), o * f + p @ vt.to(dtype), new
    return (o / l).to(q.dtype)
