# tries: to work on a stream that no event sees
# in its way: the answer's process has no card and so no streams
# outcome: refused
import torch

honest = fused_softmax


def fused_softmax(x):
    with torch.cuda.stream(torch.cuda.Stream()):
        return honest(x)
