# %% [markdown]
# # 00 · Check your bench
#
# A **kernel** is a function that runs on a GPU, and **Triton** lets you write one in Python. By the end of this course
# you write kernels that move every byte once. Here you make sure that the tools work, and meet the words you will use
# all the time: `check`, `hint`, `progress`, `traffic`.
#
# *About 15 minutes. No GPU needed.*

# %% [markdown]
# ## The first cell
#
# Every lesson starts with this cell, folded away: it finds the course, or fetches it. Run it with Shift+Enter, before any
# other cell.

# %%
from grader import check, device, hint, progress, traffic
import torch

# %% [markdown]
# ## What is on the bench?
#
# With a GPU, Triton *compiles* a kernel and the GPU runs it. Without one it is *interpreted*: Python runs it on the CPU,
# slowly, and this course checks every memory access before it happens. Your answers are judged the same way in both
# cases.

# %% tags=["nbval-ignore-output"]
device()

# %% [markdown]
# If the last line says *broken*, choose **Restart** in Jupyter's Kernel menu and run the first cell first. Triton decides
# how it runs when it is imported, and cannot change its mind later.

# %% [markdown]
# ## An exercise
#
# An exercise is a cell with a TODO in it. Before you fill it in, run it and the check below it as they are, and see what
# the check says about an exercise nobody has tried.
#
# Then replace the whole line with the TODO by your own, run the cell, and check again.

# %%
def double(x):
    """Every element of x times two, as a new tensor of the same shape."""
    # One line, with return.
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %%
check("0.1")

# %% [markdown]
# The check reads the *text* of the cells you have run, runs it in a process of its own on several inputs, and compares
# with an answer computed in float64. You may add cells, split cells, and check as often as you like.

# %% [markdown]
# ## When you are stuck
#
# A hint opens one level at a time: first the idea, then where to look, then the shape of the line. Run the cell again for
# the next level.

# %%
hint("0.1")

# %% [markdown]
# ## Break it on purpose
#
# Let `double` return `x * x`, run it, check it. You see the smallest input on which it failed, and common mistakes get a
# name and a question. What happens with `x *= 2` and `return x`? Then put it right again.

# %% [markdown]
# <details><summary>Why a <em>new</em> tensor?</summary>
#
# **What**: `2 * x` makes a new tensor; `x` stays as it was.
#
# **Why**: a function that changes its input surprises whoever still holds it, and the check looks for that.
#
# **Otherwise**: after `x *= 2` the numbers are right, and the check still says no.
#
# </details>

# %% [markdown]
# ## What this course counts
#
# A GPU computes far faster than it fetches. So we count what a function *moves*. `traffic` runs it and lists how many
# elements each operation read from memory and wrote to it. The unit is **MN**: one matrix of M rows and N columns.
#
# Guess first: what does `exp` move? And what do *two* operations in a row move?

# %%
x = torch.randn(4, 8)


def exp_then_double(x):
    return torch.exp(x) * 2


traffic(exp_then_double, x)

# %% [markdown]
# The intermediate result went out to memory and came straight back. Nobody asked for that trip, and most of this course
# is about not making it.

# %% [markdown]
# ## Where you stand
#
# `progress` shows the course. It remembers between sessions.

# %%
progress()

# %% [markdown]
# **Next: [01 · Five passes](01_five_passes.ipynb).** A softmax in five lines of PyTorch, and what each line costs.
