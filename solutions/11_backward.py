# %% [markdown]
# # 11 · Backward
#
# So far you have computed forwards. A network that learns also computes backwards, from its loss to the gradient of
# every number that the loss depends on. In this lesson you derive the gradient of a softmax and write it as a kernel.
# Then you join the two directions into one function that PyTorch can differentiate.
#
# *About 80 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## What is asked
#
# A network computes y = softmax(x), and later a loss, a single number. In the backward pass, PyTorch gives you **dy**:
# its element i says how fast the loss grows when y[i] grows. PyTorch wants **dx**, which says the same for x. Each x
# has an effect on all outputs of its row, so
#
# dx[j] = the sum over i of dy[i] · (how fast y[i] grows when x[j] grows)
#
# The numbers in parentheses, for all i and j, form a table, the **Jacobian**. Before you look: when x[0] grows, which of the three outputs become larger, and which become smaller?

# %%
x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
y = torch.softmax(x, dim=0)
jacobian = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, dim=0), x)
print("y:", y.numpy().round(4))
print(jacobian.numpy().round(4))

# %% [markdown]
# y[0] becomes larger, and the other outputs become smaller, because their sum is always 1. Where do these numbers come
# from? Compare the table with y:

# %%
print("diag(y):", torch.diag(y).numpy().round(4), sep="\n")
print("outer(y, y):", torch.outer(y, y).numpy().round(4), sep="\n")
torch.allclose(jacobian, torch.diag(y) - torch.outer(y, y))

# %% [markdown]
# The Jacobian is **diag(y) minus the outer product of y with itself**. It does not contain x: the output y is enough.
# But how large is it?

# %%
for n in (3, 781, 32768):
    print(f"a row of {n:5}: {n * n:13,} numbers in its Jacobian")

# %% [markdown]
# Each row of y has such a table. All these tables together are too large to store. You need only the product of dy and the
# table. The table is a difference, so this product is a difference too: dy times diag(y), minus dy times the outer
# product. The first part is y·dy. The next cell divides the second part by y, only to show you something. (Your answer must not divide by y: some y may be 0.)

# %%
dy = torch.tensor([1.0, 0.0, 2.0], dtype=torch.float64)
print("dy times diag(y):               ", (dy @ torch.diag(y)).numpy().round(4))
print("y · dy:                         ", (y * dy).numpy().round(4))
print("dy times the outer product, / y:", (dy @ torch.outer(y, y) / y).numpy().round(4))

# %% [markdown]
# In the last line, all three numbers are the same. So the second part is y times *one* number for each row. How do you
# compute that number from y and dy?

# %% [markdown]
# ## Your turn: 11.1
#
# Put the two parts together, in PyTorch, for all rows of a matrix at once. Do not make an N×N table and do not use
# autograd: the check looks for both.

# %%
def softmax_backward(y, dy):
    """dx for each row: y is the output of a softmax, dy the gradient that arrives (both M×N, float32)."""
    # One number for each row, kept as a column; then the rest (about 2 lines).
    ### BEGIN SOLUTION
    dot = (y * dy).sum(dim=1, keepdim=True)
    return y * (dy - dot)
    ### END SOLUTION

# %%
check("11.1")

# %% [markdown]
# <details><summary>What the row's number means</summary>
#
# **Σ y·dy** is a weighted average of dy, and the weights are the outputs y. Where dy is above this average, dx
# is positive; where it is below, dx is negative. A row of dx sums to 0.
#
# **Where y is 0**, dx is 0: an output of exactly 0 gives no gradient.
#
# **A constant dy** equals its average, so dx is 0 everywhere. A loss that depends only on the sum of a row has the
# gradient 0.
#
# *An honest aside*: where dy is nearly constant, the difference is much smaller than its two terms, and few digits of
# dx are right. The formula itself causes that. So the check compares the error with y·(|dy| + Σ y·|dy|), and not with
# dx.
#
# </details>

# %% [markdown]
# ## A test that zeros pass
#
# A backward pass is often tested with the loss `y.sum()`, because it is so short to write. Here is a backward pass that
# returns only zeros. Will that test find it?

# %%
x = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
y = torch.softmax(x, dim=1)
for loss, dy in (("y.sum()", torch.ones(4, 6)), ("(y * random).sum()", torch.randn(4, 6))):
    (dx,) = torch.autograd.grad(y, x, dy.double(), retain_graph=True)
    zeros = torch.zeros(4, 6).double()
    print(f"loss {loss:18}  zeros pass: {torch.allclose(zeros, dx)}")

# %% [markdown]
# For the second loss, False is good: a test with this loss refuses the zeros. With the first loss, the zeros pass.
#
# For every x, the outputs of a row sum to 1. So no x can change the loss `y.sum()`, and its gradient *is* zero. Test a
# backward pass with a random dy.

# %% [markdown]
# ## What does it move?
#
# Before you write the kernel, count what it has to move. How much do the PyTorch operations of your 11.1 move?

# %%
x = torch.randn(64, 256, device=where)
y, dy = torch.softmax(x, dim=1), torch.randn(64, 256, device=where)
traffic(softmax_backward, y, dy)

# %% [markdown]
# Every intermediate matrix goes to memory and comes back. The kernel loads y once and dy once, and stores dx once: **2
# MN read, 1 MN written**. The forward kernel reads only 1 MN. The backward kernel does not need x.

# %% [markdown]
# ## Your turn: 11.2
#
# Write a kernel with one program for each row, as in 5.1, with three tensors and three row strides. Again the block may
# reach beyond the end of the row. What should masked lanes hold, so that they add nothing to the sum?
#
# Do not change the dtype: the kernel also gets float64 later.
#
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.

# %%
@triton.jit
def softmax_backward_kernel(
    dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr
):
    """Row program_id(0) of dx, in the dtype of its tensors. BLOCK is a power of two, at least n_cols."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load a row of y and a row of dy, each once (2 lines).
    ### BEGIN SOLUTION
    y = tl.load(y_ptr + row * y_row_stride + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask, other=0.0)
    ### END SOLUTION
    # The formula of 11.1 (about 2 lines).
    ### BEGIN SOLUTION
    dot = tl.sum(y * dy, axis=0)
    dx = y * (dy - dot)
    ### END SOLUTION
    # Store dx (1 line).
    ### BEGIN SOLUTION
    tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=mask)
    ### END SOLUTION

# %%
check("11.2")

# %% [markdown]
# <details><summary>Habits of the forward kernel</summary>
#
# **`other=0.0`**: in the forward kernel, a masked lane held -inf, so that it never was the maximum. Here the value of
# a masked lane is a factor of a product, and a product with inf is never 0. *Otherwise*: the whole row is infinite or
# `nan`.
#
# **Three strides**: dy is made by PyTorch. If all its rows are the same row in memory, its row stride is 0, and the
# kernel is right for that, too.
#
# **No max, no exp, no division**: all of that is already in y.
#
# *An honest aside*: the ledger shows 3 MN here and 2 MN for the forward kernel, so backward should take one and a half
# times as long. That is true as long as rows fit into a block, and memory is the limit.
#
# </details>

# %% [markdown]
# ## Two directions, one function
#
# PyTorch cannot look into a launch, so it does not know how the result depends on x. An **autograd function** tells it:
# a class with two methods ([how to write one](https://docs.pytorch.org/docs/stable/notes/extending.html)). Here is one
# for x²:

# %%
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return 2 * x * dy


x = torch.tensor([3.0, 5.0], requires_grad=True)
Square.apply(x).backward(torch.tensor([1.0, 10.0]))
x.grad

# %% [markdown]
# `apply` runs `forward`. `ctx` keeps tensors for `backward`: `save_for_backward` takes them, and `saved_tensors` is a
# tuple of them. If one of them is changed in place before `backward`, PyTorch raises an error. `backward` returns one
# gradient for each input of `forward`.

# %% [markdown]
# ## What arrives
#
# PyTorch makes dy, often without copying numbers. `register_hook` calls a function with dy; here that function
# prints the strides. Which of these dy can your kernel take without a copy?

# %%
w = torch.rand(4, 3)
losses = {
    "y.square().sum()": lambda y: y.square().sum(),
    "y.sum()": lambda y: y.sum(),
    "y.sum(dim=0).square().sum()": lambda y: y.sum(dim=0).square().sum(),
    "(w * y.t()).sum()": lambda y: (w * y.t()).sum(),
}
for name, loss in losses.items():
    y = torch.rand(3, 4, requires_grad=True)
    y.register_hook(lambda dy: print(f"{name:28}  dy is 3×4 with strides {dy.stride()}"))
    loss(y).backward()

# %% [markdown]
# A stride of 0 repeats the same elements: the gradient of `y.sum()` is one number, expanded to a matrix. For the loss
# with a transposed y, neighbours in a column of dy are next to each other in memory. Your kernel assumes a column
# stride of 1. So it can take the first and the third dy without a copy.

# %% [markdown]
# ## Your turn: 11.3
#
# Here is the kernel of 5.1 again. `forward` launches it, and `backward` launches your kernel of 11.2. Keep y with
# `ctx.save_for_backward`, and no other tensor of that size. If y is changed between forward and backward, that must be
# an error.
#
# `backward` must accept a dy with any strides, such as those of the last cell. An x whose elements do not lie row by row
# in memory may be copied, or refused with a `ValueError`.
#
# The check runs both directions, in float32 and float64. It also counts: if nothing has to be copied, both directions
# together read 3 MN and write 2 MN.

# %%
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), from 5.1."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)

# %%
class Softmax(torch.autograd.Function):
    """Softmax of each row of a matrix (float32 or float64): Softmax.apply(x)."""

    @staticmethod
    def forward(ctx, x):
        # Launch softmax_kernel, keep the tensor that backward needs, give y to the caller (about 6 lines).
        ### BEGIN SOLUTION
        x = x.contiguous()
        y = torch.empty_like(x)
        block = triton.next_power_of_2(x.shape[1])
        softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block)
        ctx.save_for_backward(y)
        return y
        ### END SOLUTION

    @staticmethod
    def backward(ctx, dy):
        # Get the tensor that was kept, think of the strides of dy, launch your kernel, give dx to the caller (about 6 lines).
        ### BEGIN SOLUTION
        (y,) = ctx.saved_tensors
        dy, dx = dy.contiguous(), torch.empty_like(y)
        strides = (dx.stride(0), y.stride(0), dy.stride(0))
        block = triton.next_power_of_2(y.shape[1])
        softmax_backward_kernel[(len(y),)](dx, y, dy, *strides, y.shape[1], BLOCK=block)
        return dx
        ### END SOLUTION

# %%
check("11.3")

# %% [markdown]
# <details><summary>Why y, and why through ctx.save_for_backward</summary>
#
# **y, not x**: the formula does not need x. The next layer often keeps y anyway, because y is its input. *Otherwise*:
# one more matrix stays in memory until backward.
#
# **`save_for_backward`** stores how often y was changed in place. With `ctx.y = y`, PyTorch does not notice a change.
# Also, y then refers to `ctx` and `ctx` to y, so their memory is freed late.
#
# **`dy.contiguous()`** copies more often than necessary: the kernel can take rows with stride 0 or with gaps. With the
# condition `if dy.stride(1) != 1`, only the necessary copies are made.
#
# **A new dx**: y belongs to the caller and dy belongs to PyTorch, and both may be needed again.
#
# *An honest aside*: PyTorch cannot differentiate your `backward` again, because it is a launch, too. A second
# derivative is then wrong, or ends in an error that is hard to understand. With the decorator
# `torch.autograd.function.once_differentiable` the error is clear.
#
# </details>

# %% [markdown]
# Here y is changed between the two directions, so the gradient would be wrong. Does PyTorch notice?

# %%
x = torch.randn(2, 3, device=where, requires_grad=True)
y = Softmax.apply(x)
with torch.no_grad():
    y *= 2
try:
    y.square().sum().backward()
except RuntimeError as error:
    print(str(error).split(":")[0])

# %% [markdown]
# ## Let PyTorch check
#
# [`gradcheck`](https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html) changes one x
# after another by 0.000001, up and down, computes how much all outputs change, and compares that with `backward`. In
# float32, rounding errors would hide such a small change. That is why the kernel has to work in float64. Would
# `gradcheck` refuse zeros?

# %%
class Zeros(Softmax):
    @staticmethod
    def backward(ctx, dy):
        return torch.zeros_like(dy)


x = torch.randn(3, 5, dtype=torch.float64, device=where, requires_grad=True)
print("Softmax:", torch.autograd.gradcheck(Softmax.apply, x))
print("Zeros:  ", torch.autograd.gradcheck(Zeros.apply, x, raise_exception=False))

# %% [markdown]
# ## A name that torch.compile knows
#
# `torch.compile` records the operations of a model and rewrites them. If your kernels should stay as they are, register
# each direction as a **[custom operator](https://docs.pytorch.org/docs/stable/library.html)**: an operation with a
# name, into which `torch.compile` does not look. The types are in the signature. The word before `::` is a namespace:
# it separates the names of different projects. `mutates_args=()` promises that no argument is changed.

# %%
@torch.library.custom_op("lesson_11::softmax", mutates_args=())
def softmax(x: torch.Tensor) -> torch.Tensor:
    return Softmax.apply(x).contiguous()  # the fake below promises rows without gaps


@torch.library.custom_op("lesson_11::softmax_backward", mutates_args=())
def softmax_gradient(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    y, dy = y.contiguous(), dy.contiguous()
    dx, n = torch.empty_like(y), y.shape[1]
    softmax_backward_kernel[(len(y),)](dx, y, dy, n, n, n, n, BLOCK=triton.next_power_of_2(n))
    return dx

# %% [markdown]
# While `torch.compile` records, it computes nothing. So each operator also has a **fake**: a function that returns a
# tensor with the shape and dtype of the result, and computes no numbers. The last line registers the second operator as
# the backward of the first.

# %%
softmax.register_fake(lambda x: x.new_empty(x.shape))
softmax_gradient.register_fake(lambda y, dy: y.new_empty(y.shape))


def keep(ctx, inputs, output):
    ctx.save_for_backward(output)


def backward(ctx, dy):
    return softmax_gradient(ctx.saved_tensors[0], dy)


softmax.register_autograd(backward, setup_context=keep)

# %% [markdown]
# `opcheck` tests whether all of this fits together: the types, the shapes of the fakes, and both directions while they
# are recorded. (It does not compare numbers with a reference: the cell with `layer` below does that.)

# %%
x = torch.randn(3, 5, device=where, requires_grad=True)
torch.library.opcheck(softmax, (x,))

# %% [markdown]
# Now record a small layer with both directions. With `fullgraph=True`, it is an error if an operation cannot be
# recorded. A **backend** is the part of PyTorch that runs the recorded operations. The backend "aot_eager" runs them
# without compiling them, so this works without a GPU.

# %%
@torch.compile(backend="aot_eager", fullgraph=True)
def layer(x, w):
    return softmax(x) @ w


x = torch.randn(3, 5, device=where, requires_grad=True)
w, dy = torch.randn(5, 2, device=where), torch.randn(3, 2, device=where)
(mine,) = torch.autograd.grad(layer(x, w), x, dy)
(theirs,) = torch.autograd.grad(torch.softmax(x, dim=1) @ w, x, dy)
torch.allclose(mine, theirs, atol=1e-6)

# %% [markdown]
# *An honest aside*: if a compiler does not look into an operator, it cannot merge it with the operations next to it.
# Otherwise it might make one kernel of the softmax and the operation after it. Sometimes it is worth writing such a
# kernel by hand, as in lesson 13.

# %% [markdown]
# ## What to read
#
# - Autograd functions: [*Extending PyTorch*](https://docs.pytorch.org/docs/stable/notes/extending.html).
# - Tests of gradients:
#   [`gradcheck`](https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html) and [its
#   mechanics](https://docs.pytorch.org/docs/stable/notes/gradcheck.html).
# - Custom operators: [`torch.library`](https://docs.pytorch.org/docs/stable/library.html).
# - Where all of this comes from: Atılım Güneş Baydin, Barak Pearlmutter, Alexey Radul and Jeffrey Siskind, [*Automatic
#   differentiation in machine learning: a survey*](https://arxiv.org/abs/1502.05767) (2018).

# %%
progress()

# %% [markdown]
# **Next: [12 · Down to CUDA](12_down_to_cuda.ipynb).** In every softmax kernel so far, one line has summed a whole block. How do
# the threads do that together?
