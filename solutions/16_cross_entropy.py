# %% [markdown]
# # 16 · Cross-entropy
#
# Every language model ends with the same function: from one row of numbers for each token to a single number, its loss.
# In PyTorch it reaches less than half of the speed that memory allows. In this lesson you go the whole way yourself: count
# the bytes, write two kernels, write a test that does not lie, and put all of it into a function that others can call. Its
# cell is empty.
#
# *About 130 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## What is computed
#
# A model gives each token a row of N numbers, one for each word of its vocabulary: the **logits**. The **target** of a row
# is the number of the right word. The loss of a row is small if the softmax gives the right word a large share:
#
# loss = -log(softmax(x)[target])
#
# Padding has no right word. Its target is **`ignore_index`**, usually -100, and such a row does not count. The loss of a
# batch is the mean over the rows that count.

# %%
x = torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
target = torch.tensor([0, 2, -100])
losses = torch.nn.functional.cross_entropy(x, target, reduction="none")
print("losses:", *(f"{loss:.4f}" for loss in losses.tolist()))
print(f"mean:   {torch.nn.functional.cross_entropy(x, target):.4f}, which is {losses.sum() / 2:.4f}: two rows count")

# %% [markdown]
# ## Five steps
#
# Here is the loss in five steps of PyTorch, for targets that all count. How many times is the matrix read, and how many
# times is it written? Make a guess.

# %%
def five_steps(x, target):
    """The mean loss of the rows of x (M×N), with each step as one operation."""
    maximum = x.amax(dim=1, keepdim=True)
    shifted = x - maximum
    exponentials = torch.exp(shifted)
    log_sum = torch.log(exponentials.sum(dim=1, keepdim=True))
    return (log_sum - shifted.gather(1, target[:, None])).mean()


x = torch.randn(64, 512, device=where)
target = torch.randint(512, (64,), device=where)
traffic(five_steps, x, target)

# %% [markdown]
# How much is that for a real batch? Take 4096 tokens, and a vocabulary of 128256 words in bfloat16:

# %%
m, n = 4096, 128256
matrix = 2 * m * n
print(f"the logits alone: {matrix / 1e9:.2f} GB; elements: {m * n:,}, and 2^31 is {2**31:,}")
print(f"five steps: {6 * matrix / 1e9:.1f} GB moved; the least: {matrix / 1e9:.2f} GB, as the result is a single number")
assert 4 * 4096 * n < 2**31 < 5 * 4096 * n

# %% [markdown]
# The logits are a gigabyte, and they are often the largest tensor of the whole model. So count **bytes and memory**: the
# forward pass has to read the matrix once. The backward pass has to read it again, and to write a gradient of the same
# size.
#
# With five times as many tokens, the elements cannot be counted by 32 bits any more: offsets need 64 bits.

# %% [markdown]
# ## Two numbers of a row
#
# In exact arithmetic,
#
# -log(softmax(x)[target]) = log(Σ exp(x)) - x[target]
#
# The first term is the **log-sum-exp** of the row, in short **lse**. You know how to get it in one walk: the state (m, d)
# of lesson 08 is all you need. Which formula of m and d is it? The second term is one element. Its
# address can be computed, so it costs one more load, not one more walk.

# %%
row = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
m = row.max()
d = torch.exp(row - m).sum()
for name, guess in (("m + d", m + d), ("m + log(d)", m + d.log()), ("m * log(d)", m * d.log())):
    print(f"{name:10} = {guess:.6f}")
print(f"logsumexp  = {torch.logsumexp(row, 0):.6f}")

# %% [markdown]
# ## Your turn: 16.1
#
# Write the forward kernel: one program for each row, one walk along it in tiles of BLOCK columns. It stores two numbers for
# each row: the loss, and lse, which the backward pass needs. The loss of a row that does not count is 0. Its lse may be
# anything.

# %% [markdown]
# - The logits are float32, bfloat16 or float16, and losses and lse are float32. So cast after each load.
# - The targets are int64. `tl.load(target_ptr + row)` loads one number, and a mask may be one condition, too.
# - -100 is no column: 100 elements before a row, there may be no memory at all.
# - `ignore_index` may also be another number, even one that is a column.
# - Logits may be `-inf`, even a whole tile of them, but no row is `-inf` everywhere.
# - A row may begin beyond element 2^31.
#
# Each logit is read once, and one logit of each row once more.

# %%
@triton.jit
def cross_entropy_kernel(
    loss_ptr, lse_ptr, x_ptr, target_ptr, x_row_stride, n_cols, ignore_index, BLOCK: tl.constexpr
):
    """Loss and log-sum-exp of row program_id(0), in one walk along the row by tiles of BLOCK columns."""
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    # The state (m, d) of the row, as in 8.3 (about 9 lines).
    ### BEGIN SOLUTION
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    ### END SOLUTION
    # The logit of the target, if the row counts (about 3 lines).
    ### BEGIN SOLUTION
    target = tl.load(target_ptr + row)
    counted = target != ignore_index
    hit = tl.load(x_ptr + row * x_row_stride + target, mask=counted, other=0.0).to(tl.float32)
    ### END SOLUTION
    # Store both numbers (about 2 lines).
    ### BEGIN SOLUTION
    tl.store(loss_ptr + row, tl.where(counted, tl.log(d) + (m - hit), 0.0))
    tl.store(lse_ptr + row, m + tl.log(d))
    ### END SOLUTION

# %%
check("16.1")

# %% [markdown]
# <details><summary>Line by line</summary>
#
# **The walk** is the first one of 8.3. There is no second one: nothing of size N is stored.
#
# **The mask of the single load**: without it, row 0 of a batch reads 100 elements before the matrix. In a later row, the
# load succeeds, and nobody notices.
#
# **log(d) + (m - hit)**: both m and hit can be large. If they are subtracted first, the large numbers cancel, and log(d) is
# added with all its digits. `lse - hit` has rounded already.
#
# *Another style*: compare all columns of a tile with the target, and add up the one that matches. That saves the load and
# costs an operation for each element.
#
# *An honest aside*: this loop makes an exponential for each element, and one more for each tile. 16-bit logits arrive so
# fast that the exponentials become the limit: count them.
#
# </details>

# %% [markdown]
# ## The gradient
#
# How does the loss of a row change when one of its logits grows? In the loss, lse grows by the share of that logit: its
# derivative is softmax(x). The other term is -x[target]. So for each row,
#
# dx = p - onehot, with p = exp(x - lse), and onehot = 1 at the target and 0 elsewhere
#
# The mean multiplies it by 1 / (number of rows that count). Check it with autograd:

# %%
x = torch.tensor([[1.0, 2.0, 4.0]], dtype=torch.float64, requires_grad=True)
torch.nn.functional.cross_entropy(x, torch.tensor([1])).backward()
print("autograd:  ", *(f"{v:8.5f}" for v in x.grad[0]))
p = torch.exp(x.detach() - torch.logsumexp(x.detach(), 1, keepdim=True))[0]
print("p - onehot:", *(f"{v:8.5f}" for v in p - torch.tensor([0.0, 1.0, 0.0])))

# %% [markdown]
# p is a matrix as large as the logits. It need not be stored: lse is one number for each row, and p follows from it and x.
# And each element of dx needs one element of x alone. So dx may even take the place of x: then the gradient of a gigabyte
# of logits needs no new memory.

# %% [markdown]
# ## Your turn: 16.2
#
# Write the backward kernel: one program for each row, one walk. `scale_ptr` points to *one* float32 number for all rows:
# the gradient of the loss divided by the number of rows that count. The gradient of a row that does not count is 0.
#
# `dx_ptr` may be the same pointer as `x_ptr`: then the gradient is stored *in place*. The check does both. dx has the dtype
# of x, and a row of dx or x may begin beyond element 2^31.

# %%
@triton.jit
def cross_entropy_gradient_kernel(
    dx_ptr, x_ptr, target_ptr, lse_ptr, scale_ptr, dx_row_stride, x_row_stride, n_cols, ignore_index,
    BLOCK: tl.constexpr,
):
    """scale · (p - onehot) of row program_id(0), in tiles of BLOCK columns; 0 where the target is ignore_index."""
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    # The numbers of the row (about 3 lines).
    ### BEGIN SOLUTION
    target = tl.load(target_ptr + row)
    lse = tl.load(lse_ptr + row)
    scale = tl.where(target == ignore_index, 0.0, tl.load(scale_ptr))
    ### END SOLUTION
    for start in range(0, n_cols, BLOCK):
        # Load a tile, compute its gradient, store it (about 5 lines).
        ### BEGIN SOLUTION
        cols = start + lanes
        mask = cols < n_cols
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        p = tl.exp(x - lse)
        tl.store(dx_ptr + row * dx_row_stride + cols, scale * tl.where(cols == target, p - 1.0, p), mask=mask)
        ### END SOLUTION

# %%
check("16.2")

# %% [markdown]
# <details><summary>What in place needs</summary>
#
# **Each element is loaded before it is stored**, by the same program. No other program needs it. That is why in place is
# safe here. The forward kernel has to be done: its single load would otherwise find a gradient.
#
# **One-hot without a matrix**: `cols == target` is the row of the onehot matrix, made when it is needed.
#
# **A scale in memory**: the number of rows that count lies on the GPU. If the host asked for it with `.item()`, it would
# wait until the GPU is done with everything before.
#
# **0 for a row that does not count**, and not "nothing": the memory of dx may hold anything.
#
# </details>

# %% [markdown]
# ## Your turn: 16.3
#
# Before you put the parts together, write the test. It gets two functions:
#
# - `loss(logits, target)`: the mean loss over the rows that count, as a tensor with one number;
# - `gradient(logits, target)`: the gradient of that loss, of the shape of the logits. The loss itself has no graph to go
#   back through.
#
# Logits are float32 matrices, targets are int64, and `ignore_index` is -100. If something is wrong, an `assert` fails. The
# check runs your test on five right pairs and on seventeen wrong ones. Your test must accept all right pairs. Then each wrong
# pair that it refuses gives some of the points.

# %% [markdown]
# Which inputs tell a wrong one from a right one? Think of the **targets**: the first and the last column, rows that do not
# count, and how many of them. Think of the **values**: where does exp overflow, and where does a careless logarithm lose its
# digits? Think of the **rows**: different lengths, and rows far longer than a tile, which a wrong walk leaves early. And what
# does "near 0" mean for a gradient whose numbers are about 1/N?
#
# Compare with PyTorch in float64. Here the answer may call what it likes. At most 64 rows and 65,536 elements in an input.

# %%
def test_cross_entropy(loss, gradient):
    """Fails when loss(logits, target) or gradient(logits, target) is wrong, for float32 logits and int64 targets."""
    # Choose logits and targets; for each: the right loss and gradient in float64, then compare (about 20 lines).
    ### BEGIN SOLUTION
    g = torch.Generator().manual_seed(0)
    inputs = [(torch.randn(m, n, generator=g), m // 3) for m, n in [(7, 5), (1, 40), (20, 3), (4, 5000)]]
    inputs += [(torch.randn(6, 9, generator=g) + shift, 2) for shift in (200.0, -200.0)]
    inputs += [(30 * torch.randn(9, 70, generator=g), 4)]
    for x, ignored in inputs:
        target = torch.randint(x.shape[1], (len(x),), generator=g)
        target[0], target[-1] = x.shape[1] - 1, 0
        target[1 : 1 + ignored] = -100
        before = x.clone(), target.clone()
        right = before[0].double().requires_grad_()
        want = torch.nn.functional.cross_entropy(right, target)
        want.backward()
        got, dx = loss(x, target), gradient(x, target)
        assert torch.equal(x, before[0]) and torch.equal(target, before[1]), "an input was changed"
        assert got.numel() == 1 and (got.double() - want).abs() <= 1e-4 * want + 1e-5, "a wrong loss"
        assert dx.shape == x.shape, "another shape"
        error = (dx.double() - right.grad).abs()
        assert (error <= 1e-3 * right.grad.abs() + 1e-7 / len(x)).all(), "a wrong gradient"
    ### END SOLUTION

# %%
check("16.3")

# %% [markdown]
# <details><summary>Which input catches what</summary>
#
# | input or assertion | catches functions that |
# |---|---|
# | rows that do not count, and more than one of them | count them, divide by all rows, or give them a gradient |
# | targets at both ends of a row | are off by one column |
# | logits around 200 and -200 | overflow, or take 0 for the maximum |
# | logits that are far apart | add a small number to the sum, or clip |
# | rows of thousands | stop after a tile |
# | little room for the loss, also where logits are around 200 | keep lse in half precision |
# | a relative error of each element of the gradient | are wrong everywhere but at the target, where the large numbers are |
# | the logits afterwards | store the gradient in place without being asked |
#
# </details>

# %% [markdown]
# ## A specification
#
# Now the function. There is no stub for it, only this **specification**. `cross_entropy(logits, target, ignore_index=-100)`
# returns the mean loss over the rows whose target is not `ignore_index`.

# %% [markdown]
# - `logits`: M×N, at least one row and one column; float32, bfloat16 or float16. Rows may be any number of elements apart.
#   If the columns are not neighbours in memory, copy or refuse.
# - `target`: M numbers, int64, with any stride. Each is a column, or `ignore_index`.
# - The loss is a tensor of no dimensions, float32 for every dtype of the logits. If no row counts, it is `nan`.
# - It can be differentiated with respect to the logits: the gradient has their shape and their dtype. It is multiplied by
#   the gradient of the loss that arrives.
# - logits and target stay as they are.

# %% [markdown]
# - It refuses, by a ValueError or a TypeError with a sentence: logits that are no matrix or have another dtype, targets of
#   another dtype, and targets whose number is not the number of rows.
# - All rows and columns are the work of kernels, which hold at most 16384 columns at a time.

# %% [markdown]
# ## A budget, stated before
#
# Say first what it may move. `budget(m, n)` returns two numbers for a forward and a backward pass of contiguous logits: how
# many elements it reads, and how many it writes, at most. Numbers of integer tensors are not counted. The matrix comes first; a few
# numbers for each row come on top, at most 8·M each way, and at most 16 for the whole call.
#
# The check holds your budget to that, and your function to your budget.

# %% [markdown]
# ## Your turn: 16.4
#
# Write `budget` and `cross_entropy`, with your two kernels and an autograd function around them (lesson 11). Begin
# with the specification. Test it with your own test, in the cell after it, before you check.
#
# A few questions to begin with: which numbers does backward need, and which of them are as large as a matrix? In which
# tensor does `scale` lie, and which operations make it without waiting for the GPU? How many gradients does `backward`
# return?

# %%
# From an empty cell: budget(m, n), and cross_entropy(logits, target, ignore_index=-100).
### BEGIN SOLUTION
def budget(m, n):
    """(elements read, elements written) by a forward and a backward pass of M×N contiguous logits, at most."""
    return 2 * m * n + 8 * m + 16, m * n + 8 * m + 16


class CrossEntropy(torch.autograd.Function):
    """The mean of the losses that count, and its gradient with respect to the logits."""

    @staticmethod
    def forward(ctx, logits, target, ignore_index):
        m, n = logits.shape
        losses, lse = (torch.empty(m, dtype=torch.float32, device=logits.device) for _ in range(2))
        block = min(triton.next_power_of_2(n), 4096)
        cross_entropy_kernel[(m,)](losses, lse, logits, target, logits.stride(0), n, ignore_index, BLOCK=block)
        counted = (target != ignore_index).sum()
        ctx.save_for_backward(logits, target, lse, counted)
        ctx.ignore_index = ignore_index
        return losses.sum() / counted

    @staticmethod
    def backward(ctx, dloss):
        logits, target, lse, counted = ctx.saved_tensors
        m, n = logits.shape
        dx = torch.empty((m, n), dtype=logits.dtype, device=logits.device)
        scale = dloss.float() / counted
        sizes = (dx.stride(0), logits.stride(0), n, ctx.ignore_index)
        block = min(triton.next_power_of_2(n), 4096)
        cross_entropy_gradient_kernel[(m,)](dx, logits, target, lse, scale, *sizes, BLOCK=block)
        return dx, None, None


def cross_entropy(logits, target, ignore_index=-100):
    """The mean cross-entropy of the rows of logits (M×N) whose target (M, int64) is not ignore_index, as float32."""
    if logits.dim() != 2 or logits.dtype not in (torch.float32, torch.bfloat16, torch.float16):
        raise ValueError(f"logits are a matrix of float32, bfloat16 or float16, not {tuple(logits.shape)} {logits.dtype}")
    if target.dtype != torch.int64 or target.shape != logits.shape[:1]:
        raise ValueError(f"targets are {len(logits)} numbers of int64, not {tuple(target.shape)} {target.dtype}")
    if logits.stride(1) != 1:
        logits = logits.contiguous()
    return CrossEntropy.apply(logits, target.contiguous(), ignore_index)
### END SOLUTION

# %% [markdown]
# Is your own test green?

# %%
def gradient(logits, target):
    """The gradient of your loss."""
    logits = logits.to(where, copy=True).requires_grad_()
    return torch.autograd.grad(cross_entropy(logits, target.to(where)), logits)[0].cpu()


test_cross_entropy(lambda logits, target: cross_entropy(logits.to(where), target.to(where)).cpu(), gradient)
print("green")

# %%
check("16.4")

# %% [markdown]
# <details><summary>From two kernels to a function</summary>
#
# **Saved for backward**: the logits, which the caller has anyway, the targets, and one number for each row. p would be a second gigabyte.
#
# **`counted` is a tensor**: `losses.sum() / counted` waits for nobody, and 0 / 0 is `nan` without an `if`.
#
# **The gradient that arrives** is one number, and it goes into `scale`. If it is forgotten, all tests pass whose loss ends
# with `backward()`, because then it is 1.
#
# **Three inputs, three gradients**: those of the target and of `ignore_index` are None.
#
# *An honest aside*: `dx` is a new gigabyte. Libraries offer a switch that stores it in place, as your 16.2 can. Then
# the logits are gone, and the caller has to know.
#
# </details>

# %% [markdown]
# ## Does it hold its budget?
#
# The next cell counts a forward and a backward pass, and compares them with your budget. Which share of it do the matrices
# have?

# %%
m, n = 32, 2000
x, target = torch.randn(m, n, device=where), torch.randint(n, (m,), device=where)


def both(x, target):
    """A forward and a backward pass."""
    logits = x.detach().requires_grad_()
    return torch.autograd.grad(cross_entropy(logits, target), logits)[0]


read, written = budget(m, n)
print(f"budget: {read:,} read, {written:,} written; of these, matrices: {2 * m * n / read:.1%} and {m * n / written:.1%}")
traffic(both, x, target)

# %% [markdown]
# ## The others
#
# How close do libraries come to the limit, on an H200? The limit of the forward pass is one reading of the logits, at the
# speed of a copy. For both passes together it is two readings and one writing. Guess before you look: which share does
# PyTorch reach?

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/cross_entropy_on_h200.json").read_text())
print(f"{recorded['device']}: " + ", ".join(f"{name} {version}" for name, version in recorded["versions"].items()))
print("shares of the limit; forward: M·N elements read; both: 2·M·N read and M·N written; –: the library fails\n")
peers = ("torch", "torch.compile", "Liger", "QuACK")
print(f"{'':32}" + "".join(f"{peer:>14}" for peer in peers))
for run in recorded["results"]:
    shares = (f"{run['shares'][peer]:14.2f}" if run["shares"][peer] else f"{'–':>14}" for peer in peers)
    print(f"{run['passes']:8} {run['dtype']:9}{run['m']:6}×{run['n']:<7}" + "".join(shares))
assert max(run["shares"]["torch"] for run in recorded["results"]) < 0.4
best = {run["n"] for run in recorded["results"] if run["shares"]["QuACK"] == max(filter(None, run["shares"].values()))}
assert best == {run["n"] for run in recorded["results"]} - {1024}

# %% [markdown]
# PyTorch stays below 0.4 everywhere: it has more than one kernel, and a matrix between them. QuACK is the best of them where
# rows are long, and on one matrix it fails. Where rows are short (1024), the kernel of torch.compile is faster.

# %% [markdown]
# Now yours. `race` times both passes on the GPU of this machine, by turns with a copy that reads the logits once and writes
# them once. Your two kernels read them twice. Which share of a copy can they reach at most? Where there is no GPU, you see
# what an H200 recorded of the course's answer.

# %% tags=["nbval-ignore-output"]
from grader import race

race("16.4")

# %% [markdown]
# Three walks along the matrix against the two of a copy: at most 0.67. The recorded run stays below that: the
# exponentials take time, and so do the steps between the two kernels. A kernel that computes the gradient while it still has
# the row on the chip saves one of the two readings.

# %% [markdown]
# ## What to read
#
# - The function of PyTorch, with all its arguments:
#   [`cross_entropy`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html).
# - Kernels of a library for training, with the gradient in place: Pin-Lun Hsu and others, [*Liger Kernel: Efficient Triton
#   Kernels for LLM Training*](https://arxiv.org/abs/2410.10989) (2024).
# - A loss without the matrix of logits at all: Erik Wijmans and others, [*Cut Your Losses in Large-Vocabulary Language
#   Models*](https://arxiv.org/abs/2411.09009) (2024).

# %%
progress()

# %% [markdown]
# **Next: [17 · Read a profile](17_read_a_profile.ipynb).** You went from a specification in an empty cell to a function
# with a budget, a test and a gradient. Next, you read what a profiler says of such kernels.
