# %% [markdown]
# # 00 · Check your bench
#
# A **kernel** is a function that runs on a GPU, and **Triton** lets you write one in Python. By the end of this course
# you will write kernels that move every byte once. Here you make sure that the tools work. You also meet four functions that
# you will use all the time: `check`, `hint`, `progress`, `traffic`.
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
# With a GPU, Triton *compiles* a kernel and the GPU runs it. Without a GPU, the kernel is *interpreted*: Python runs it
# on the CPU, slowly, and this course checks every memory access before it happens. Your answers are judged the same way in both
# cases.

# %% tags=["nbval-ignore-output"]
device()

# %% [markdown]
# If the last line says *broken*, choose **Restart** in Jupyter's Kernel menu and run the first cell first. (In Jupyter,
# a kernel is the process that runs your cells. It has nothing to do with the kernels of a GPU.) Triton chooses between
# compiling and interpreting when it is imported, and keeps to that choice.

# %% [markdown]
# ## An exercise
#
# An exercise is a cell with a TODO in it. Before you fill it in, run the cell and the check below it as they are. What
# does the check say about an exercise that nobody has tried?
#
# Then replace the whole line that holds the TODO with your own line, run the cell, and check again.

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
# The check takes the *text* of the cells that you have run, and runs it in a separate process on several inputs. It
# compares the results with the right ones, computed in float64. You may add cells, split cells, and check as often as you
# like.

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
# Let `double` return `x * x`, run it, and check it. The check shows the smallest input on which `double` failed. If the
# mistake is a common one, the check describes it and asks you a question. "This mistake gives the same result" means: the
# check knows the result of that mistake, and yours is the same. Another mistake may give it, too.
#
# Next, write two lines instead: first `x *= 2`, then `return x`. What happens? Then make it right again.

# %% [markdown]
# <details><summary>Why a <em>new</em> tensor?</summary>
#
# **The line**: `2 * x` makes a new tensor; `x` stays as it was.
#
# **Why**: the caller still holds the input, and does not expect it to change. The check looks for that.
#
# **Otherwise**: after `x *= 2` the numbers are right, but the check still refuses the answer.
#
# </details>

# %% [markdown]
# ## What this course counts
#
# A GPU computes much faster than it fetches numbers from memory. So we count the elements that a function *moves*.
# `traffic` runs a function, and lists how many elements each operation read from memory and how many it wrote. The unit
# is **MN**: all elements of one matrix with M rows and N columns.
#
# Guess first: how much does `exp` move? And how much do *two* operations move, one after the other?

# %%
x = torch.randn(4, 8)


def exp_then_double(x):
    return torch.exp(x) * 2


traffic(exp_then_double, x)

# %% [markdown]
# The intermediate result went to memory and came back immediately. We can get the final result without that trip. Most of
# this course is about how to avoid it.

# %% [markdown]
# ## What to read
#
# - What a kernel is, and how a GPU runs it: [CUDA C++ Programming
#   Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html), the chapters *Introduction* and
#   *Programming Model*.
# - Triton, from the beginning: [Triton's tutorials](https://triton-lang.org/main/getting-started/tutorials/index.html).
# - Why moving counts more than computing: Horace He, [*Making Deep Learning Go Brrrr From First
#   Principles*](https://horace.io/brrr_intro.html) (2022).

# %% [markdown]
# ## Where you stand
#
# `progress` shows your points in all lessons. It keeps them from one session to the next.

# %%
progress()

# %% [markdown]
# **Next: [01 · Five passes](01_five_passes.ipynb).** A softmax in five lines of PyTorch, and the cost of each line.
