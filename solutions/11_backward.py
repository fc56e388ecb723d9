# %% [markdown]
# # 11 · Backward
#
# So far everything went forwards. A network that learns also goes back, from its loss to every number that had a part in
# it. In this lesson you derive what a softmax hands back, write that as a kernel, and make the two directions one function
# that PyTorch can differentiate.
#
# *About 60 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## What is asked
#
# Somewhere behind y = softmax(x) stands a loss, a single number. PyTorch comes back with **dy**: its element i says how much
# the loss grows when y[i] does. It wants **dx**, which says the same of x. One x has a part in all outputs of its row, so
#
# dx[j] = the sum over i of dy[i] · (how much y[i] grows when x[j] does)
#
# What stands in parentheses, for all i and j, is a table, the
# **Jacobian**. Before you look: when x[0] grows, which of three outputs grow, and
# which shrink?

# %%
x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
y = torch.softmax(x, dim=0)
jacobian = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, dim=0), x)
print("y:", y.numpy().round(4))
print(jacobian.numpy().round(4))

# %% [markdown]
# Its own output grows, the others shrink: they share a sum of 1. Where do these numbers come from? Compare the table with y:

# %%
print("diag(y):", torch.diag(y).numpy().round(4), sep="\n")
print("outer(y, y):", torch.outer(y, y).numpy().round(4), sep="\n")
torch.allclose(jacobian, torch.diag(y) - torch.outer(y, y))

# %% [markdown]
# It is **diag(y) minus the outer product of y with itself**. No x in it: the output is enough. But how large is it?

# %%
for n in (3, 781, 32768):
    print(f"a row of {n:5}: {n * n:13,} numbers in its Jacobian")

# %% [markdown]
# Nobody makes this table. What is wanted is dy times the table, one half at a time. The first half is y·dy. For the
# second, print it divided by y and see what is left. (For looking only: a y may be 0.)

# %%
dy = torch.tensor([1.0, 0.0, 2.0], dtype=torch.float64)
print("dy times diag(y):               ", (dy @ torch.diag(y)).numpy().round(4))
print("y · dy:                         ", (y * dy).numpy().round(4))
print("dy times the outer product, / y:", (dy @ torch.outer(y, y) / y).numpy().round(4))

# %% [markdown]
# Three times the same number. So the second half is y times *one* number a row. Which one, in terms of y and dy?

# %% [markdown]
# ## Your turn: 11.1
#
# Put the halves together, in PyTorch, for all rows of a matrix at once. No N×N table and no autograd: the
# check looks for both.

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
# **Σ y·dy** is an average of dy, each output weighted with its share. Where dy lies above it, dx is positive, below it
# negative; a row of dx sums to 0.
#
# **Where y is 0**, dx is 0: an output that has vanished learns nothing any more.
#
# **A constant dy** is its own average, so dx is 0 everywhere. Softmax cannot see a constant.
#
# *An honest aside*: where dy is nearly constant, the difference cancels, and few digits of dx are right. That lies in the
# formula. So the check asks for an error that is small beside y·(|dy| + Σ y·|dy|), and not beside dx.
#
# </details>

# %% [markdown]
# ## A test that zeros pass
#
# A backward is often tested with the loss `y.sum()`, since it is so short to write. Here is a backward that returns
# nothing but zeros. Will that test catch it?

# %%
x = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
y = torch.softmax(x, dim=1)
for loss, dy in (("y.sum()", torch.ones(4, 6)), ("(y * random).sum()", torch.randn(4, 6))):
    (dx,) = torch.autograd.grad(y, x, dy.double(), retain_graph=True)
    zeros = torch.zeros(4, 6).double()
    print(f"loss {loss:18}  zeros pass: {torch.allclose(zeros, dx)}")

# %% [markdown]
# False is the good case: that loss tells zeros from a gradient.
#
# The sum of a row's outputs is 1, whatever x is: nothing can change that loss, and its gradient *is* zero. Test a backward
# with a random dy.

# %% [markdown]
# ## What does it move?
#
# Before you write the kernel, count what it has to move. And what do the PyTorch operations of your 11.1 move?

# %%
x = torch.randn(64, 256, device=where)
y, dy = torch.softmax(x, dim=1), torch.randn(64, 256, device=where)
traffic(softmax_backward, y, dy)

# %% [markdown]
# Every intermediate matrix goes out to memory and comes back. The kernel needs y once and dy once, and stores dx once:
# **2 MN read, 1 MN written**. That is more than forward reads, and x is not part of it.

# %% [markdown]
# ## Your turn: 11.2
#
# One program a row, as in 5.1, with three tensors and three row strides. The block again hangs over the end of the row. What
# should masked lanes hold, so that they add nothing to the sum?
#
# Leave the dtype as it comes: the kernel will soon be given float64.

# %%
@triton.jit
def softmax_backward_kernel(
    dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr
):
    """Row program_id(0) of dx, in the dtype of its tensors. BLOCK is a power of two, at least n_cols."""
    row = tl.program_id(0)
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
# **`other=0.0`**: forward, a masked lane had to lose the maximum, and -inf did that. Here it meets a product, and inf times
# anything is no zero. *Otherwise*: the whole row is infinite or `nan`.
#
# **Three strides**: dy comes from somebody else. If its rows are all one row in memory, its stride is 0, and the kernel does
# not mind.
#
# **No max, no exp, no division**: y has all of that behind it.
#
# *An honest aside*: the ledger sees 3 MN move here and 2 MN forwards, so backward should take one and a half times as long.
# That holds while rows fit into a block, and while memory is the limit.
#
# </details>

# %% [markdown]
# ## Two directions, one function
#
# For PyTorch a launch is a blank: it cannot tell what came of x. An **autograd function** tells it, as a class with two
# methods. Here is one for x²:

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
# `apply` runs `forward`. `ctx` carries over to `backward` what that will need: `save_for_backward` takes tensors and
# notices if they are changed in place before backward,
# and `saved_tensors` is a tuple of them. `backward` returns one gradient for each input of `forward`.

# %% [markdown]
# ## What arrives
#
# PyTorch makes dy, and makes it cheaply. `register_hook` calls a function with it; here that function prints the strides.
# Which of these can your kernel take as they are?

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
# A stride of 0 repeats the same elements: the gradient of `y.sum()` is one number, expanded. Behind a transposed y the
# columns of dy lie next to each other. Your kernel takes the column stride to be 1. So the first and the third can go in as
# they are.

# %% [markdown]
# ## Your turn: 11.3
#
# Here is the kernel of 5.1 again. `forward` launches it, `backward` launches yours of 11.2. Keep y, with
# `ctx.save_for_backward`, and nothing else of that size: if somebody changes y in between, that must be an error. An x whose
# elements do not lie row by row may be copied, or refused with a `ValueError`; such a dy must be taken.
#
# The check runs both directions, in float32 and float64, and counts: 3 MN read and 2 MN written together, where nothing has
# to be copied.

# %%
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), from 5.1."""
    row = tl.program_id(0)
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
        # Launch softmax_kernel, keep what backward needs, hand y over (about 6 lines).
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
        # Take what was kept, mind the strides of dy, launch your kernel, hand dx over (about 6 lines).
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
# **y, not x**: the formula needs no x, and y is mostly alive anyway, because the next layer keeps its own input.
# *Otherwise*: one more matrix waits until backward.
#
# **`save_for_backward`** remembers how often y was changed in place.
# With `ctx.y = y` nobody notices a change, and y and the graph hold each
# other, so that their memory is freed late.
#
# **`dy.contiguous()`** copies a little more than needed: rows with stride 0, or with gaps, would do as they are.
# `if dy.stride(1) != 1` copies only what needs it.
#
# **A fresh dx**: y belongs to the caller, dy to PyTorch, and both may be needed again.
#
# *An honest aside*: PyTorch cannot differentiate your backward once more, for it is a launch, too. Whoever
# tries gets a wrong result or a puzzling error; the decorator `torch.autograd.function.once_differentiable` makes it a
# clear one.
#
# </details>

# %% [markdown]
# Somebody changes y between the two directions. What would your gradient be worth, and does anybody notice?

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
# `gradcheck` moves each x a millionth up and down, looks how all outputs move, and compares that with `backward`. In float32
# such a difference would drown in rounding; that is why the kernel had to leave float64 alone. Would it catch zeros?

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
# `torch.compile` records the operations of a model and rewrites them. To have your kernels taken as they are, register each
# direction as a **custom operator**: an operation with a name, which nobody looks into. Its types stand in the signature, and
# the word before `::` keeps names of different projects apart. `mutates_args=()` promises that no argument is changed.

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
# Recording computes nothing, so each operator also says what its result looks like, without computing it: that is
# its **fake**. The last two lines
# tell which operator is the other's backward.

# %%
softmax.register_fake(lambda x: x.new_empty(x.shape))
softmax_gradient.register_fake(lambda y, dy: y.new_empty(y.shape))


def keep(ctx, inputs, output):
    ctx.save_for_backward(output)


def backward(ctx, dy):
    return softmax_gradient(ctx.saved_tensors[0], dy)


softmax.register_autograd(backward, setup_context=keep)

# %% [markdown]
# `opcheck` tries whether all of that fits together: the types, the promised shapes, and both directions while they are being
# recorded. (gradcheck looked at the numbers of Softmax; those of the operator come
# last.)

# %%
x = torch.randn(3, 5, device=where, requires_grad=True)
torch.library.opcheck(softmax, (x,))

# %% [markdown]
# Now a small layer, recorded with both directions. `fullgraph=True` makes it an error if anything cannot be recorded;
# "aot_eager" then runs the recording as it is, with no compiler behind it, so this works without a GPU.

# %%
@torch.compile(backend="aot_eager", fullgraph=True)
def layer(x, w):
    return softmax(x) @ w


w, dy = torch.randn(5, 2, device=where), torch.randn(3, 2, device=where)
(mine,) = torch.autograd.grad(layer(x, w), x, dy)
(theirs,) = torch.autograd.grad(torch.softmax(x, dim=1) @ w, x, dy)
torch.allclose(mine, theirs, atol=1e-6)

# %% [markdown]
# *An honest aside*: what nobody looks into, nobody merges with its neighbours either. A compiler might have made one kernel
# of softmax and what follows it. Sometimes it is worth doing that by hand, and lesson 13 does.

# %%
progress()

# %% [markdown]
# **Next: [12 · Down to CUDA](12_down_to_cuda.ipynb).** One line has summed a whole row, in every kernel of yours. How do
# threads do that?
