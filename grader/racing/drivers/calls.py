"""Calls an answer as a race does: a text that joins the answer, with one function for each exercise that races.

A function that takes a matrix is called as it is. For a kernel, the launch is the course's own, as in its lesson.
"""

import torch
import triton


def _warps(block):
    return 16 if block >= 4096 else 8 if block >= 2048 else 4


def _program_for_each_row(kernel, x, *more, **constants):
    """The result of a kernel that has a program for each row of x, and of matrices that belong to it."""
    y, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
    strides = [each.stride(0) for each in (y, x, *more)]
    kernel[(len(x),)](y, x, *more, *strides, x.shape[1], **constants, BLOCK=block, num_warps=_warps(block))
    return y


def race_1_1(x):
    """Five passes."""
    import answer

    return answer.naive_softmax(x)


def race_5_1(x):
    """A program for each row."""
    import answer

    return _program_for_each_row(answer.softmax_kernel, x)


def race_5_2(x):
    """The function of lesson 05."""
    import answer

    return answer.fused_softmax(x)


def race_7_1(x):
    """Half precision. A product with 1 changes nothing, as the peers have no scale."""
    import answer

    return _program_for_each_row(answer.half_softmax_kernel, x, SCALE=1.0)


def race_7_3(x, keep):
    """Entries that count, and entries that do not."""
    import answer

    return _program_for_each_row(answer.masked_softmax_kernel, x, keep)


def race_8_3(x):
    """Two walks along a row."""
    import answer

    y = torch.empty_like(x)
    answer.online_softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=4096, num_warps=8)
    return y


def race_8_4(x):
    """The function of lesson 08."""
    import answer

    return answer.online_softmax(x)


def race_9_3(x):
    """A program for every 8192 columns of a row."""
    import answer

    return answer.split_softmax(x, triton.cdiv(x.shape[1], 8192))


def race_10_1(x):
    """Tiles of about 2 KB, of 8 rows at most."""
    import answer

    y, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
    rows = max(1, min(8, 512 // block))
    sizes = y.stride(0), x.stride(0), *x.shape
    answer.tile_softmax_kernel[(triton.cdiv(len(x), rows),)](y, x, *sizes, ROWS=rows, BLOCK=block, num_warps=4)
    return y


def race_10_2(x):
    """1024 programs for all rows."""
    import answer

    y, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
    sizes = y.stride(0), x.stride(0), *x.shape
    answer.persistent_softmax_kernel[(min(len(x), 1024),)](y, x, *sizes, BLOCK=block, num_warps=_warps(block))
    return y


def race_10_4(x):
    """Wide loads."""
    import answer

    return answer.wide_softmax(x)


def race_11_1(y, dy):
    """The gradient by PyTorch's operations."""
    import answer

    return answer.softmax_backward(y, dy)


def race_11_3(x, dy):
    """Forwards and backwards: y and dx."""
    import answer

    x = x.requires_grad_()
    y = answer.Softmax.apply(x)
    return y, torch.autograd.grad(y, x, dy)[0]


def race_13_1(q, k, v):
    """Tiles of 256 keys."""
    import answer

    return answer.tiled_attention(q, k, v, 256)


def race_13_2(q, k, v):
    """Blocks of 32 queries and 32 keys."""
    import answer

    o, d = torch.empty_like(q), q.shape[1]
    strides = (each.stride(0) for each in (o, q, k, v))
    blocks = {"D": d, "BLOCK_M": 32, "BLOCK_N": 32, "CAUSAL": False}
    grid = (triton.cdiv(len(q), 32),)
    answer.attention_kernel[grid](o, q, k, v, *strides, len(q), len(k), d**-0.5, **blocks)
    return o


def race_13_3(q, k, v):
    """Blocks of 64 queries and 64 keys, for all heads."""
    import answer

    b, h, m, d = q.shape
    o, lse = torch.empty_like(q), torch.empty(b, h, m, device=q.device)
    strides = (stride for each in (o, q, k, v) for stride in each.stride()[:3])
    blocks = {"D": d, "BLOCK_M": 64, "BLOCK_N": 64, "CAUSAL": False}
    grid = (triton.cdiv(m, 64), b * h)
    answer.flash_kernel[grid](o, lse, q, k, v, *strides, h, m, k.shape[2], d**-0.5, **blocks)
    return o


def race_13_4(q, k, v, o, do, lse):
    """Blocks of 32 queries and 32 keys, in two launches."""
    import answer

    out, (n, d) = torch.empty(3, *q.shape, device=q.device), q.shape
    dq, dk, dv = out
    inputs, sizes, grid = (q, k, v, o, do, lse), (n, n, d**-0.5), (triton.cdiv(n, 32),)
    blocks = {"D": d, "BLOCK_M": 32, "BLOCK_N": 32}
    answer.key_gradient_kernel[grid](dk, dv, *inputs, *sizes, **blocks)
    answer.query_gradient_kernel[grid](dq, *inputs, *sizes, **blocks)
    return out


def race_14_2(x):
    """A launcher for every matrix."""
    import answer

    return answer.my_softmax(x)


def race_14_3(x):
    """The choice among the kernels that the course ships."""
    import answer

    return answer.softmax(x)


def race_15_3(x):
    """In place, tuned."""
    import answer

    answer.inplace_softmax(x)
    return x


def race_16_1(x, target):
    """The losses; what else the kernel stores stays behind."""
    import answer

    losses, lse = (torch.empty(len(x), device=x.device) for _ in range(2))
    block = min(triton.next_power_of_2(x.shape[1]), 4096)
    rows = losses, lse, x, target, x.stride(0)
    answer.cross_entropy_kernel[(len(x),)](*rows, x.shape[1], -100, BLOCK=block, num_warps=8)
    return losses


def race_16_2(x, target, lse, scale):
    """The gradient in memory of its own."""
    import answer

    dx, block = torch.empty_like(x), min(triton.next_power_of_2(x.shape[1]), 4096)
    rows = dx, x, target, lse, scale, dx.stride(0), x.stride(0)
    answer.cross_entropy_gradient_kernel[(len(x),)](*rows, x.shape[1], -100, BLOCK=block, num_warps=8)
    return dx


def race_16_4(x, target):
    """The mean loss and its gradient, for which both passes have to be made."""
    import answer

    x = x.requires_grad_()
    loss = answer.cross_entropy(x, target)
    return loss, torch.autograd.grad(loss, x)[0]
