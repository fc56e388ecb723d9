# exercise: 1.3
import torch

overflow_at = {}
for name in ("float32", "float16"):
    n = 0
    while not torch.isinf(torch.exp(torch.tensor(float(n), dtype=getattr(torch, name)))):
        n += 1
    overflow_at[name] = n
