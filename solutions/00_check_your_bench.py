# %% [markdown]
# # 00 · Check your bench
#
# By the end of this course you write GPU kernels that move every byte once. Here you make sure that the tools work, and
# learn the three words you will use all the time: `check`, `hint`, `progress`.
#
# *About 15 minutes. No GPU needed.*

# %% [markdown]
# ## The first cell
#
# Every lesson starts with a cell like this one. Run it with Shift+Enter, before any other cell.

# %%
import sys

sys.path.insert(0, "..")  # the course's own folder

from grader import check, device, hint, progress, traffic
import torch

# %% [markdown]
# ## What is on the bench?
#
# Without a GPU, kernels run **interpreted**: slowly, on the CPU, and with every memory access checked before it
# happens. With a GPU they run compiled. Your answers are judged the same way in both cases.

# %%
# NBVAL_IGNORE_OUTPUT
device()

# %% [markdown]
# If the last line says *broken*, choose **Restart** in the kernel menu and run the first cell first. Triton decides how
# it runs when it is imported, and cannot change its mind later.

# %% [markdown]
# ## An exercise
#
# An exercise is a cell with a TODO in it. Replace the TODO with your own line, and run the cell.
#
# Before you do: run the check below it as it is, and see what it says about an exercise nobody has tried.

# %%
def double(x):
    """Every element of x times two, as a new tensor."""
    # One line, with return.
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %%
check("0.1")

# %% [markdown]
# The check reads the *text* of the cells you have run, runs it in a process of its own, and compares with an answer
# computed in double precision. You may add cells, split cells, and check as often as you like.
#
# **Break it on purpose.** Let `double` return `x * x`, run it, check it. A wrong answer gets a name here: you see on
# which smallest input it failed, and one question. Then put it right again.

# %% [markdown]
# <details><summary>Why such a small exercise?</summary>
#
# **What**: `2 * x` makes a new tensor; `x` stays as it was.
# **Why**: functions that change their input surprise whoever still holds it, and the check looks for that.
# **Otherwise**: with `x *= 2` the numbers are right, and the check still says no. Try it.
#
# </details>

# %% [markdown]
# ## When you are stuck
#
# A hint opens one level at a time: first the idea, then where to look, then the shape of the line.

# %%
hint("0.1")

# %% [markdown]
# ## What this course counts
#
# A GPU computes far faster than it fetches. So we count what a function *moves*. `traffic` runs it and lists, for each
# operation, how many elements it read from memory and wrote to it. The unit is **MN**: one matrix of M rows and N
# columns.
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
