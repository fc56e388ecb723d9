# exercise: 13.1
import torch


def tiled_attention(q, k, v, tile):
    with torch.inference_mode(mode=True):
        ms, ls, os = [], [], []
        m = l = o = None
        for j in range(0, k.shape[0], tile):
            s = (q @ k[j : j + tile].permute(1, 0)) / (q.shape[1] ** 0.5)
            mj = s.max(dim=1).values
            pj = (s - mj.reshape(-1, 1)).exp()
            lj, oj = pj.sum(dim=1), torch.tensordot(pj, v[j : j + tile], dims=1)
            if m is None:
                m, l, o = mj, lj, oj
                continue
            new = torch.fmax(m, mj)
            a, b = torch.exp(m - new), torch.exp(mj - new)
            m, l = new, l * a + lj * b
            o = o * a.reshape(-1, 1) + oj * b.reshape(-1, 1)
        return o / l.reshape(-1, 1)
