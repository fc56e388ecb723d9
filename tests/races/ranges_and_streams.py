# Ranges for a profiler, the device of the input, and the current stream by name.
import torch
import triton
from torch.cuda import nvtx


@nvtx.range("softmax")
def fused_softmax(x):
    nvtx.range_push("output")
    y = torch.empty_like(x)
    nvtx.range_pop()
    stream = torch.cuda.current_stream(x.device)
    with torch.cuda.device(x.device), torch.cuda.stream(stream), nvtx.range("{} rows", len(x)):
        softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    nvtx.mark("done")
    return y
