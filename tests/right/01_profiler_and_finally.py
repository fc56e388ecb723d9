# exercise: 1.1
import contextlib
import torch


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


calls = 0


def naive_softmax(x):
    global calls
    calls += 1
    with default_dtype(torch.float32), torch.profiler.record_function("softmax"):
        try:
            row_max = x.max(dim=-1).values.unsqueeze_(-1)
            numerator = x.clone() if False else x - row_max
            numerator.exp_()
            denominator = numerator.sum(dim=-1).unsqueeze(-1)
            return numerator.div_(denominator)
        finally:
            del row_max
