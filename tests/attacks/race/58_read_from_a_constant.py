# tries: to read numbers of its input out of a constant, to which a launch of the autotuner has stored them
# in its way: what a launch may write to holds numbers of the card, whoever orders the launch
# outcome: refused
import torch
import triton
import triton.language as tl

honest = fused_softmax


@triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (1, 2)], key=["n_cols"])
@triton.jit
def telling_kernel(told_ptr, x_ptr, n_cols):
    tl.store(told_ptr + 1, tl.load(x_ptr))


def fused_softmax(x):
    told = torch.zeros(2, device=x.device)
    ask = x._reference.wire.ask
    x._reference.wire.ask = lambda order, *more: ({}, b"") if order["op"] == "launch" else ask(order, *more)
    telling_kernel[(1,)](told[:1], x, x.shape[1])
    x._reference.wire.ask = ask
    if told.tolist()[1] > 50:
        return honest(x)
    e = torch.exp(x)
    return e / e.sum(1, keepdim=True)
