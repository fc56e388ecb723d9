# exercise: 14.3
import torch
import grader.fast.pick as launchers

TABLE = [(16384, "tile"), (32768, "split"), (float("inf"), "shared")]


def softmax(x):
    """Softmax along the last dimension, of any shape."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"a {type(x).__name__} is no tensor")
    if x.dtype not in launchers.KINDS:
        raise ValueError(f"{x.dtype} is none of float32, float16 and bfloat16")
    if x.dim() == 0:
        raise ValueError("a tensor without dimensions has no rows")
    rows = x.reshape(-1, x.shape[-1]).contiguous()
    y = torch.empty_like(rows)
    name = next(name for limit, name in TABLE if rows.shape[1] <= limit)
    if rows.element_size() == 2 and 256 < rows.shape[1] <= 32768 and not launchers.aligned(rows):
        name = "odd"
    if rows.shape[1] > 16384 and launchers.can_pair(rows):
        name = "shared"
    if name == "shared" and not launchers.can_share(rows):
        name = "split"
    getattr(launchers, name)(y, rows)
    return y.view(x.shape)
