# %% [markdown]
# # 12 · Down to CUDA
#
# `tl.max(x, axis=0)` turns a thousand numbers into one: a **reduction**. How? A thread calculates one number at a time and
# sees only its own numbers. In this lesson you build the reduction yourself, first in Python. Then you write softmax once
# more in CUDA C++, a language one level below Triton. You need not have written C++ before.
#
# *About 195 minutes: 65 for 12.1 to 12.3, 95 for the kernels, 35 for the rest. No GPU needed, but the C++ compiler
# g++.*

# %%
from grader import check, draw, hint, launch, progress, trace
import math
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

# %% [markdown]
# ## How many steps?
#
# One thread that adds 1024 numbers needs 1023 additions, one after the other. With 512 threads, 512 additions happen at
# once. What is left to do after that?

# %%
count, steps = 1024, 0
while count > 1:
    count, steps = count // 2, steps + 1
    print(f"step {steps:2}: additions at once {count:3}, numbers left {count:3}")

# %% [markdown]
# Half as many numbers are left after each step. This is a **tree reduction**: still 1023 additions, but few steps. There
# are as many steps as there are halvings from 1024 to 1.

# %% [markdown]
# ## Your turn: 12.1
#
# Which two numbers does a thread add? We add **halves**: number `i` of the lower half and number `i` of the upper half.
# Return a list of all states: first the values, then the list after each step. (In 12.1, a state is such a list. It is
# not the (m, d) of lesson 08.) Do not change the list that you were given:
#
# ```
# tree_reduce([1, 2, 3, 4, 5, 6, 7, 8])  ->  [[1, 2, 3, 4, 5, 6, 7, 8], [6, 8, 10, 12], [16, 20], [36]]
# ```

# %%
def tree_reduce(values):
    """All states of a sum by halves, each a list: the values, what each step makes of them, and finally [their sum].

    values: a list of 2, 4, 8, ... numbers, or of one.
    """
    # Keep the first state; as long as there are two numbers, make the next one (about 5 lines).
    ### BEGIN SOLUTION
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
        states.append(values)
    return states
    ### END SOLUTION

# %%
check("12.1")

# %% [markdown]
# <details><summary>Why halves, and not neighbours</summary>
#
# **The sum** is the same either way, up to rounding. But with halves, the threads that work have neighbouring numbers. With
# eight values, threads 0 to 3 work in the first step, threads 0 and 1 in the second, and thread 0 in the third. All
# threads above them have nothing left to do. So whole groups of threads can rest.
#
# **A new list in every step**: suppose that you keep a list among the states, and change that list in the next step. Then
# the state that you kept changes too, because both are the same list.
#
# *An honest aside*: a chain adds one number after the other. There, the first number takes part in every addition, and each
# addition rounds. In a tree, every number takes part in few additions. So a tree usually has the smaller error.
#
# </details>

# %% [markdown]
# Here are your additions. Below each sum stand two places of the step before. The numbers in these places were added:

# %%
numbers = [3.0, 1.0, 7.0, 0.0, 4.0, 1.0, 6.0, 3.0]
draw.tree(tree_reduce, numbers)

# %% [markdown]
# ## Who knows the result?
#
# At the end, thread 0 has the result. But every thread of a softmax needs it, to divide by the sum. A second tree
# could hand it to all threads, in as many steps again. Is there a way without it?
#
# With one thread for each number, half of the threads or more do nothing in every step of a tree. Let them work, too: two
# **partners** exchange their values, and each of them combines both. The partner of thread `l` is thread `l ^ offset`. The operator
# `^` is the exclusive or (xor). With an offset of 1, 2, 4, ... it flips one bit of `l`:

# %%
for offset in (4, 2, 1):
    print(f"offset {offset}: " + "  ".join(f"{lane}↔{lane ^ offset}" for lane in range(8) if lane < lane ^ offset))

# %% [markdown]
# ## Your turn: 12.2
#
# A GPU runs threads in groups of 32, the **warps** of lesson 03. The 32 threads of a warp are its **lanes**, numbered from 0
# to 31. Lanes can read each other's values directly, all at the same moment. This exchange is called a **shuffle**. (In
# Triton, a lane was an element of a block. In CUDA, and from here to the end of this lesson, a lane is a thread of a warp.)

# %% [markdown]
# Write a reduction by such exchanges, a **butterfly**. A whole warp needs five steps, but write it for any power of two up
# to 32. The function `combine` makes one value out of two: their sum, their maximum, or the merged state of lesson 08.

# %%
def butterfly(lanes, combine):
    """What each lane holds in the end, as a list: combine(a, b) of all values, by exchanges with lane ^ offset.

    lanes: a list of 2, 4, ..., 32 values, or of one. In a step, every lane reads what its partner held before the step.
    """
    # Offsets from half of the lanes down to 1; in each step all lanes at once (about 5 lines).
    ### BEGIN SOLUTION
    offset = len(lanes) // 2
    while offset > 0:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset //= 2
    return lanes
    ### END SOLUTION

# %%
check("12.2")

# %% [markdown]
# <details><summary>Old values and new ones</summary>
#
# **All at once**: make the new list from the old one. Suppose that you change a lane in place. Then its partner reads the
# new value, which already contains the partner's own value. So this value counts twice. A maximum is still right, a sum
# is not.
#
# **Every lane ends with the result**. Many texts say that lane 0 has it. That is true of *another* shuffle, where lane
# `l` reads lane `l + offset`: there the upper lanes have no partner.
#
# **Up or down**: the offsets may come in any order. After each step, a lane's value is made of the values of twice as many
# lanes.
#
# </details>

# %% [markdown]
# Each lane begins with a letter of its own. Which letters does it hold in the end, and how often each of them?

# %%
def names(a, b):
    return "".join(sorted(a + b))


print(*butterfly(list("abcdefgh"), names))

# %% [markdown]
# Here is a butterfly with the numbers of the tree. Each step adds as before, but in every lane:

# %%
draw.butterfly(butterfly, numbers)

# %% [markdown]
# ## More than one warp
#
# Threads that share their work form a **thread block**: up to 1024 threads, which are 32 warps. It does what one program does
# in Triton. Lanes of different warps cannot shuffle. So a reduction of a thread block has two levels:
#
# 1. Each warp reduces its own 32 values with a butterfly, and stores its result in **shared memory**. This is a small memory
#    that all threads of the block can load from and store to.
# 2. One more butterfly reduces these results. If there are fewer than 32 of them, the list is filled up to 32.
#
# Here is `merge` of lesson 08 again:

# %%
def merge(a, b):
    """The state (m, d) of two parts of a row together, from their states."""
    m = max(a[0], b[0])
    if m == -math.inf:
        return m, 0.0
    return m, a[1] * math.exp(a[0] - m) + b[1] * math.exp(b[0] - m)

# %% [markdown]
# ## Your turn: 12.3
#
# Every thread has a state (m, d) of its own columns. Reduce each warp to one state. Then reduce these states in *one* warp,
# with one state for each lane. There may be fewer than 32 warps. What do the other lanes hold?
#
# `lanes_m` is the list of the `m` of all threads, and `lanes_d` is the list of their `d`. The check judges the result. In one
# block, all sums but one are so small that they are lost if the states are merged one after another.

# %%
def two_level(lanes_m, lanes_d):
    """The state (m, d) of a whole thread block, from those of its threads: 32 for each warp, at most 32 warps."""
    # One state from each warp, then one from all of them (about 4 lines).
    ### BEGIN SOLUTION
    lanes = list(zip(lanes_m, lanes_d))
    warps = [butterfly(lanes[first : first + 32], merge)[0] for first in range(0, len(lanes), 32)]
    warps += [(-math.inf, 0.0)] * (32 - len(warps))
    return butterfly(warps, merge)[0]
    ### END SOLUTION

# %%
check("12.3")

# %% [markdown]
# <details><summary>The lanes without a warp</summary>
#
# **`(-inf, 0)`** changes nothing when it is merged. With `(0, 0)` the maximum becomes 0 if all values of a row are negative.
# If they are far below 0, all their exponentials become 0.
#
# **Why `merge`**: the sums of two warps are relative to two different maxima.
#
# *Another way*: first reduce the maxima, in two levels. Then reduce the sums relative to the maximum of all, in two more
# levels. This needs no `merge`, but two or three barriers instead of one.
#
# </details>

# %% [markdown]
# Four warps with one number for each thread: `(m, d)` begins as the number and 1. What goes into each of your butterflies?

# %%
one_each = torch.randn(128, generator=torch.Generator().manual_seed(12)).tolist()
draw.two_level(two_level, one_each, [1.0] * 128)

# %% [markdown]
# ## A kernel in CUDA C++
#
# In CUDA you write the work of **one thread**. Every thread of a launch runs the same text. Three numbers tell it who it is:
#
# | name | what it is |
# |---|---|
# | `threadIdx.x` | the number of this thread in its thread block: 0, 1, 2, ... |
# | `blockIdx.x` | the number of this thread block in the launch: Triton's `tl.program_id(0)` |
# | `blockDim.x` | how many threads each thread block has |
#
# Here is a whole kernel. Each thread stores one number, made of the number of its block and its own number:

# %%
who = r"""
extern "C" __global__ void who(float* y, const float* x, int n_cols) {
    y[blockIdx.x * n_cols + threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
}
"""
launch(who, torch.zeros(3, 32), threads=32)[:, :6]

# %% [markdown]
# `launch` started three thread blocks of 32 threads, one block for each row. No GPU was needed: it compiles the text for the
# CPU, runs every thread, and looks at every access before it happens. The first line that `launch` prints says how many
# elements the kernel read and wrote, and how many barriers a block passed. (**MN** is the number of elements of the matrix.)
#
# A kernel returns nothing, so its type is `void`. Its body stands between braces `{ }`, each statement ends with a
# semicolon, and `//` begins a comment. Now word by word:

# %% [markdown]
# | C++ | meaning |
# |---|---|
# | `r"""..."""` | a Python string; `launch` gives it to the compiler |
# | `__global__ void who(...)` | a kernel named `who` |
# | `extern "C"` | the kernel keeps its name, so that `launch` finds it |
# | `float* y` | a pointer to float32 numbers, as in Triton; `const`: the kernel may only load from it |
# | `int n_cols` | an integer; every variable is declared once, with its type |
# | `float a = 1.0f, b = 2.0f;` | two variables of one type |
# | `y[i] = 2.0f;` | as `tl.store(y + i, 2.0)` in Triton; `2.0f` is a float32 |

# %% [markdown]
# A row may have more columns than the block has threads, so a thread needs a loop. With 32 threads, thread 0 takes the columns
# 0, 32, 64, ..., and thread 1 takes the columns 1, 33, 65, ... A `for` of C++ has three parts: how it begins, how long it
# goes on, and what it does after each round.
#
# In your exercises, `static_assert(false, "TODO ...");` marks each place where something is yours to write.

# %% [markdown]
# | C++ | Python |
# |---|---|
# | `for (int i = 3; i < 20; i += 5) a += i;` | `for i in range(3, 20, 5): a += i` |
# | `t++` | `t += 1` |
# | `if (i < 7) a = 0;` | `if i < 7: a = 0` |
# | `const int half = 7 / 2;` | `half = 7 // 2`, an integer; `const`: it never changes |
# | `x += (long long)blockIdx.x * n_cols;` | `x` moves to the row of this block; `long long`: 64 bits |
# | `a > 0 ? a : -a` | `a if a > 0 else -a` |

# %% [markdown]
# ## A barrier
#
# `__shared__ float buffer[1024];` declares an array of 1024 places in shared memory. There is one array for each thread block,
# and all threads of the block use it. In the next kernel each thread stores a number there and loads the number of its
# neighbour. But the threads of a block do not all run at the same speed. Has the neighbour stored its number yet? Nothing
# guarantees it. This is a **data race**, as between the programs of lesson 09: two threads use the same place, at least one of
# them stores, and nothing orders the two. `launch` finds the data race and names both lines:

# %%
hopeful = r"""
extern "C" __global__ void hopeful(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];  // a place for each thread
    const int me = threadIdx.x;
    buffer[me] = x[me];
    // here
    y[me] = buffer[(me + 1) % blockDim.x];
}
"""
try:
    launch(hopeful, torch.arange(64.0).reshape(1, 64), threads=64)
except Exception as error:
    print(error)

# %% [markdown]
# `__syncthreads()` is a **barrier**: no thread goes on before every thread of the block has arrived there.

# %%
launch(hopeful.replace("// here", "__syncthreads();"), torch.arange(64.0).reshape(1, 64), threads=64)[0, :6]

# %% [markdown]
# *Every* thread has to arrive there. If a barrier stands inside an `if` and some threads skip it, the others may wait for ever.

# %% [markdown]
# ## Your turn: 12.4
#
# A warm-up in two kernels. Rows have any length, and `blockDim.x` is any number of whole warps.
#
# The check counts lines from the one with the opening quotes, which is line 1. It counts the loads and stores in the code
# that g++ makes, and g++ leaves out a load whose number nobody uses.
#
# **First a copy.** Which columns are those of this thread?

# %%
copy_rows = r"""
extern "C" __global__ void copy_rows(float* y, const float* x, int n_cols) {
    x += (long long)blockIdx.x * n_cols;  // this block's row
    y += (long long)blockIdx.x * n_cols;
    // The first column of this thread: const int first = ... (1 line).
    // ### BEGIN SOLUTION
    const int first = threadIdx.x;
    // ### END SOLUTION
    // Copy that column and all later columns of this thread (1 line, a for loop).
    // ### BEGIN SOLUTION
    for (int c = first; c < n_cols; c += blockDim.x) y[c] = x[c];
    // ### END SOLUTION
}
"""

# %% [markdown]
# **Then a sum.** Each thread adds up its own columns. Then each thread puts its sum into shared memory. From there, every
# thread adds up the sums of all threads, which gives the sum of the row. Store this sum in each column of the row.

# %%
sum_rows = r"""
extern "C" __global__ void sum_rows(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];  // a place for each thread; a block has at most 1024
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float mine = 0.0f;
    // Add my columns to mine (1 line).
    // ### BEGIN SOLUTION
    for (int c = me; c < n_cols; c += blockDim.x) mine += x[c];
    // ### END SOLUTION
    // Put mine into my place of buffer, and wait for all threads (2 lines).
    // ### BEGIN SOLUTION
    buffer[me] = mine;
    __syncthreads();
    // ### END SOLUTION
    float total = 0.0f;
    for (int t = 0; t < blockDim.x; t++) total += buffer[t];
    // Store total in my columns (1 line).
    // ### BEGIN SOLUTION
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = total;
    // ### END SOLUTION
}
"""

# %%
check("12.4")

# %% [markdown]
# <details><summary>Three places to look at</summary>
#
# **The loop** begins at the thread's own number and steps by the number of threads. So every column belongs to exactly one
# thread, and a thread without a column skips the loop.
#
# **Neighbouring threads take neighbouring columns.** Then the 32 numbers that a warp loads lie next to each other in memory,
# and its request is coalesced, as in lesson 03.
#
# **One barrier is enough**, because no thread stores to a place of `buffer` a second time.
#
# *An honest aside*: every thread adds up all places, one after the other. With 1024 threads these are 1024 steps. The tree
# of 12.1 needs ten.
#
# </details>

# %%
launch(sum_rows, torch.arange(10.0).reshape(2, 5), threads=32)

# %% [markdown]
# ## A tree in place
#
# The tree of 12.1 makes a new list in every step. The threads of a block have one array in shared memory instead. Each thread
# that works stores into its own place of this array. Here are eight threads with one number each. Which threads work in
# each step? Which places are not needed any more?

# %%
places, half = [3, 1, 7, 0, 4, 1, 6, 3], 4
print("each thread has stored its own   ", places)
while half > 0:
    print("   ", "barrier")
    for me in range(half):  # on a GPU these threads work at the same time
        places[me] += places[me + half]
    print(f"threads below {half} have added      ", places)
    half //= 2
print("   ", "barrier, and then every thread may load place 0")

# %% [markdown]
# Why is there a barrier in every step? In the first step, thread 2 stores to place 2. In the second step, thread 0 loads
# place 2. Without a barrier between the two steps, this store and this load are a data race.

# %% [markdown]
# In C++, a loop or an `if` with more than one statement has braces around them. A variable that is declared inside the
# braces exists for one round only. Here is a loop with barriers. In each round, every thread takes over the number of its
# neighbour. After
# three rounds, which number does thread 0 hold?

# %%
passed_on = r"""
extern "C" __global__ void passed_on(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x;
    buffer[me] = x[me];
    __syncthreads();  // all numbers are there
    for (int i = 0; i < 3; i++) {
        const float next = buffer[(me + 1) % blockDim.x];
        __syncthreads();  // all have loaded, so all may store
        buffer[me] = next;
        __syncthreads();  // all have stored, so all may load
    }
    y[me] = buffer[me];
}
"""
launch(passed_on, torch.arange(32.0).reshape(1, 32), threads=32)[0, :6]

# %% [markdown]
# ## Your turn: 12.5
#
# Now softmax, in three versions. From here on `blockDim.x` is a power of two from 32 to 1024, and rows have any length.
#
# **Version 1** walks along the row three times: for the maximum, for the sum, and to store the result. After each of
# the first two walks, the threads combine their results with the tree of 12.1, in shared memory.
#
# | C++ | meaning |
# |---|---|
# | `fmaxf(a, b)` | the larger one of two float32 numbers |
# | `__expf(a)` | the exponential, fast and approximate |
# | `INFINITY` | the float32 number inf |
# | `half /= 2` | halve an integer, rounded down |

# %% [markdown]
# Both trees use `buffer`. When may a thread store there for the second tree?

# %%
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];  // a place for each thread
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[c]);
    buffer[me] = m;
    // The tree of 12.1 with fmaxf, then m = the maximum of the row (about 7 lines).
    // ### BEGIN SOLUTION
    __syncthreads();  // all maxima are there
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] = fmaxf(buffer[me], buffer[me + half]);
        __syncthreads();  // this step is done
    }
    m = buffer[0];
    __syncthreads();  // all have read it, so buffer may be used again
    // ### END SOLUTION
    float d = 0.0f;
    // The sum of __expf(x[c] - m), in the same way (about 8 lines).
    // ### BEGIN SOLUTION
    for (int c = me; c < n_cols; c += blockDim.x) d += __expf(x[c] - m);
    buffer[me] = d;
    __syncthreads();  // all sums are there
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();  // this step is done
    }
    d = buffer[0];
    // ### END SOLUTION
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""

# %%
check("12.5")

# %% [markdown]
# <details><summary>The purpose of each barrier</summary>
#
# **Before the tree**: a thread loads a place to which another thread has stored.
#
# **In every step**, outside of the `if`: the threads that do not add also have to arrive at the barrier.
#
# **After `m = buffer[0]`**: thread 0 may already store its sum into `buffer[0]` while another thread has not yet loaded the
# maximum from there. This barrier is forgotten most often, and the numbers are nearly always right without it.
#
# **Other trees**: a tree that adds neighbours first, `if (me % (2 * step) == 0)`, is right too. But then the threads that
# work are spread over all warps. A warp takes the time of a step even if only one of its threads works. We say that its
# threads **diverge**. With halves, whole warps have no work and rest.
#
# *An honest aside*: the check on the CPU compares the accesses of all threads between two barriers. So it finds a missing
# barrier even if the numbers are right. On a GPU they often would be.
#
# </details>

# %% [markdown]
# ## Your turn: 12.6
#
# **Version 2** is online, as in lesson 08. One walk finds the state of a thread's columns, one tree merges the states, a second
# walk stores the result.
#
# Here is `merge` in CUDA C++. A `__device__` function is one that kernels call. The `&` in `float& m` hands over the place of a
# number instead of its value. So `merge(m, d, ...)` changes your `m` and `d`. These may also be places in shared memory.
#
# The text of `merge` and the text of the kernel are put together, `merge` first. So a check counts lines from the beginning
# of `merge`.

# %%
merge_states = r"""
// Merges another state into the state (m, d), as in lesson 08.
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    if (top == -INFINITY) return;  // both are empty
    d = d * __expf(m - top) + other_d * __expf(other_m - top);
    m = top;
}
"""

# %%
v2 = merge_states + r"""
extern "C" __global__ void softmax_v2(float* y, const float* x, int n_cols) {
    __shared__ float ms[1024], ds[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY, d = 0.0f;
    // The state of my columns; one number v is the state (v, 1) (1 line).
    // ### BEGIN SOLUTION
    for (int c = me; c < n_cols; c += blockDim.x) merge(m, d, x[c], 1.0f);
    // ### END SOLUTION
    ms[me] = m;
    ds[me] = d;
    // The tree over states, then m and d of the row (about 7 lines).
    // ### BEGIN SOLUTION
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) merge(ms[me], ds[me], ms[me + half], ds[me + half]);
        __syncthreads();
    }
    m = ms[0];
    d = ds[0];
    // ### END SOLUTION
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""

# %%
check("12.6")

# %% [markdown]
# <details><summary>One tree instead of two</summary>
#
# **The state of one number** `v` is `(v, 1)`: its maximum is `v` itself, and its sum is `exp(v - v)`, which is 1.
#
# **In the tree**, `merge` changes the places `ms[me]` and `ds[me]` themselves. Only thread `me` stores there. In each
# step, only threads of the lower half store, and the places that they load from other threads are in the upper half.
# So no thread changes a place that another one loads in the same step.
#
# **No barrier after `m = ms[0]`**: no thread stores to `ms` or `ds` again.
#
# </details>

# %% [markdown]
# ## Four numbers at once
#
# A thread can load or store 16 bytes with one instruction: a `float4`. These are four numbers with the names `x`, `y`,
# `z` and `w`. In the next kernel, `reinterpret_cast` makes a pointer to `float4`s from a pointer to single numbers. Both
# begin at the same place, but `x4[1]` is the *second four* of the row, its columns 4 to 7. `make_float4` makes a `float4`
# out of four numbers. Here is a copy:

# %%
copy_fours = r"""
extern "C" __global__ void copy_fours(float* y, const float* x, int n_cols) {
    const float4* x4 = reinterpret_cast<const float4*>(x + (long long)blockIdx.x * n_cols);
    float4* y4 = reinterpret_cast<float4*>(y + (long long)blockIdx.x * n_cols);
    for (int i = threadIdx.x; i < n_cols / 4; i += blockDim.x) {
        const float4 four = x4[i];
        y4[i] = make_float4(four.x, four.y, four.z, four.w);
    }
}
"""
launch(copy_fours, torch.arange(16.0).reshape(2, 8), threads=32)

# %% [markdown]
# The address of a `float4`, in bytes, must be a multiple of 16. Rows follow each other without gaps. Where does row 1 begin
# if a row has nine columns?

# %%
try:
    launch(copy_fours, torch.arange(18.0).reshape(2, 9), threads=32)
except Exception as error:
    print(error)

# %% [markdown]
# ## A shuffle in C++
#
# The exchange of 12.2 is written `__shfl_xor_sync(0xffffffff, v, offset)`. Its result is the `v` of the partner, which is lane
# `lane ^ offset`. The first argument is a **mask** with one bit for each lane that takes part. `0xffffffff` is a number in
# hexadecimal: each `f` stands for four bits that are 1, so all 32 lanes take part. All of them have to arrive at that line.
#
# Here is one shuffle alone. Each lane stores what it got from its partner. What does lane 0 store, and what lane 1?

# %%
one_shuffle = r"""
extern "C" __global__ void one_shuffle(float* y, const float* x, int n_cols) {
    const float mine = x[threadIdx.x];
    y[threadIdx.x] = __shfl_xor_sync(0xffffffff, mine, 2);
}
"""
launch(one_shuffle, torch.arange(32.0).reshape(1, 32), threads=32)[0, :8]

# %% [markdown]
# Lanes 0 and 2 have exchanged their numbers, and so have lanes 1 and 3. There was no barrier, and no shared memory.

# %% [markdown]
# ## Your turn: 12.7
#
# **Version 3** has the two levels of 12.3, with shuffles. First the butterfly of a warp, in a function of its own. It changes
# `m` and `d`, so that in the end every lane has the state of the whole warp:

# %%
warp_states = merge_states + r"""
// Every lane of a warp ends with the state of all 32.
__device__ void merge_warp(float& m, float& d) {
    for (int offset = 16; offset > 0; offset /= 2) {
        // Fetch the partner's state, then merge it (3 lines).
        // ### BEGIN SOLUTION
        const float other_m = __shfl_xor_sync(0xffffffff, m, offset);
        const float other_d = __shfl_xor_sync(0xffffffff, d, offset);
        merge(m, d, other_m, other_d);
        // ### END SOLUTION
    }
}
"""

# %% [markdown]
# **The second level.** Lane 0 begins with the state of warp 0, lane 1 with that of warp 1, and so on: `ms[lane]` and
# `ds[lane]`. A block of 128 threads has only four warps. What do the lanes from 4 on hold, as in 12.3? Let *every* warp
# do this second level. Then each warp computes the final result itself. If one warp alone did it, the others would have to
# wait for its result at one more barrier.

# %% [markdown]
# **`float4`s.** If `n_cols` is a multiple of four, a row has `fours` `float4`s, and they hold all of its columns. Otherwise
# `fours` is 0, and all columns are taken one by one. The lines with `float4`s are written for you. In them, `continue` goes
# on with the next round of the loop, as in Python.
#
# The check allows at most six barriers in a block. A tree of 1024 threads in shared memory needs more.

# %%
v3 = warp_states + r"""
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {
    __shared__ float ms[32], ds[32];  // a place for each warp
    const int me = threadIdx.x, lane = me % 32, warp = me / 32, warps = blockDim.x / 32;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);
    const int fours = n_cols % 4 == 0 ? n_cols / 4 : 0;

    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < fours; i += blockDim.x) {
        const float4 v = x4[i];
        const float top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        if (top == -INFINITY) continue;
        merge(m, d, top, __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top));
    }
    // The columns that no float4 holds, one by one: all of them if fours is 0, otherwise none (1 line).
    // ### BEGIN SOLUTION
    for (int c = 4 * fours + me; c < n_cols; c += blockDim.x) merge(m, d, x[c], 1.0f);
    // ### END SOLUTION
    // Both levels: my warp, shared memory, all warps. Every thread needs m and d of the row (about 9 lines).
    // ### BEGIN SOLUTION
    merge_warp(m, d);
    if (lane == 0) {
        ms[warp] = m;
        ds[warp] = d;
    }
    __syncthreads();
    m = lane < warps ? ms[lane] : -INFINITY;
    d = lane < warps ? ds[lane] : 0.0f;
    merge_warp(m, d);  // in every warp, so nobody has to wait for the result
    // ### END SOLUTION
    for (int four = me; four < fours; four += blockDim.x) {
        float4 v = x4[four];
        y4[four] = make_float4(__expf(v.x - m) / d, __expf(v.y - m) / d, __expf(v.z - m) / d, __expf(v.w - m) / d);
    }
    // The softmax of the columns that no float4 holds, one by one (1 line).
    // ### BEGIN SOLUTION
    for (int c = 4 * fours + me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
    // ### END SOLUTION
}
"""

# %%
check("12.7")

# %% [markdown]
# <details><summary>One barrier</summary>
#
# **First level**: the lanes of a warp exchange their states directly, without shared memory and without a barrier.
#
# **Second level**: every warp does it, with the same 32 places. If only one warp did it, the other warps would have to get the
# result from it. For that, the result has to go through shared memory again, and needs one more barrier.
#
# **Two fetches, then `merge`**: `merge` changes `m` and `d`. Both partners have to fetch both old numbers before one of them
# changes anything. Otherwise a lane would merge the old `m` of its partner with the new `d`.
#
# </details>

# %% [markdown]
# ## The three of them
#
# Now all three run on the same matrix, with 128 threads in each block. For each version, `launch` prints how many
# elements it reads, and how many barriers a block passes. Which numbers do you expect?

# %%
x = torch.randn(4, 512, generator=torch.Generator().manual_seed(12))
for version in (v1, v2, v3):
    y = launch(version, x, threads=128)
    assert torch.allclose(y, torch.softmax(x, dim=1), atol=0, rtol=1e-5)
steps = int(math.log2(128))  # of a tree of 128 threads
print("v1 reads the row in each of its 3 walks, v2 and v3 in each of their 2")
print(f"barriers of v1: for each of its 2 trees 1 before it and {steps} in it, and 1 between them: {2 * (1 + steps) + 1}")
print(f"barriers of v2: 1 before its tree and {steps} in it: {1 + steps}")
print("barriers of v3: 1 between its two levels")

# %% [markdown]
# ## Thirty-two banks
#
# Shared memory is made of 32 **banks**. A word has 4 bytes, word `w` is in bank `w % 32`, and a bank serves one word at a time.
# If a warp asks for two different words of one bank, its request takes two turns: a **bank conflict** of two **ways**. Lanes that ask
# for the *same* word are served together.

# %% [markdown]
# Why did 12.1 add halves? Here is a tree that takes neighbours first: thread 0 combines places 0 and 1, thread 1 places 2
# and 3, and so on. `trace` launches the kernel and counts the ways of each request, from its addresses. Thread `me` asks for
# place 2 · `step` · `me`. How many ways do you expect at worst?

# %%
neighbours = r"""
extern "C" __global__ void neighbours(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[c]);
    buffer[me] = m;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        const int at = 2 * step * me;
        if (at < blockDim.x) buffer[at] = fmaxf(buffer[at], buffer[at + step]);
        __syncthreads();
    }
    m = buffer[0];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = x[c] - m;
}
"""
trace(neighbours, x, threads=256)

# %% [markdown]
# In the first step, neighbouring threads ask for places that are two words apart. Then lanes 0 and 16 ask the same bank:
# two ways. The distance doubles with each step, and so do the ways, until fewer than 32 threads work. And your version 1?

# %%
trace(v1, x, threads=256)

# %% [markdown]
# <details><summary>Halves, once more</summary>
#
# **Halves**: thread `me` asks for place `me`, and for place `me + half`. Neighbouring threads ask for neighbouring
# places. So in every step, the 32 threads of a warp ask 32 different banks.
#
# **All threads read `buffer[0]`**: one word, one turn.
#
# *An honest aside*: `trace` counts only the first thread block, and the accesses in the code that g++ makes. NVIDIA's compiler
# may keep other values in registers, so it may make more or fewer requests. The ways of a request follow from its addresses
# alone
# ([CUDA C++ Programming Guide, Shared Memory](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#shared-memory)).
#
# </details>

# %% [markdown]
# ## How fast?
#
# An H200 ran the three versions on 4096 rows of 2048 columns. It also ran `fused_softmax` (the Triton kernel of
# lesson 05), PyTorch's own softmax, and a copy. For the GB/s, every element counts as read once and written once, even if a
# kernel reads it more often.

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/softmax_on_h200.json").read_text())
runs = {run["what"]: run for run in recorded["lessons"]["12"]["results"]}
print(f"{recorded['device']}, recorded {recorded['date']} with torch {recorded['versions']['torch']}")
print(recorded["command"])
share = {}
for what, run in runs.items():
    share[what] = runs["torch.softmax"]["microseconds"] / run["microseconds"]
    speed = run["bytes"] / run["microseconds"] / 1000
    print(f"{what:13} {run['microseconds']:6.1f} µs, {speed:5.0f} GB/s, {share[what]:4.2f} of PyTorch's speed")

# %% [markdown]
# Each version is faster than the one before, and the last is about as fast as PyTorch. The Triton kernel of lesson 05 is
# faster still: it keeps its row in registers and reads it once, and version 3 reads it twice. Version 2 saves a whole walk
# along the row, but it gains little over version 1. Probably the walk that it saves found the row in a cache.

# %%
assert share["v1"] < share["v2"] < share["v3"] < share["fused_softmax"] and share["v3"] >= 0.9
print(f"{runs['v3']['threads']} threads per block")
print(f"v1 to v2: {share['v2'] / share['v1']:.1f} times as fast, v2 to v3: {share['v3'] / share['v2']:.1f} times")

# %% [markdown]
# So `tl.max` and `tl.sum` take three steps: shuffles in each warp, then shared memory and a barrier, then shuffles over
# the results of the warps. Triton writes all this for you, and wide loads as well.
#
# If this machine has a GPU, the next cell measures your three versions on it, beside the record. For that it needs CuPy, a
# Python package that compiles CUDA C++ for the GPU:

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("12", v1, v2, v3)

# %% [markdown]
# ## Do you believe it?
#
# Does Triton really compile `tl.max` and `tl.sum` to shuffles, shared memory and a barrier? Here is the kernel of 5.1.
# Triton's compiler needs no GPU, and `machine_code` keeps what it makes. As in lesson 05, `num_warps` says how many
# warps run a program. The second cell below compiles the kernel for 1, 4 and 8 warps, and prints two lines of the result:

# %%
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + tl.program_id(0) * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + tl.program_id(0) * y_row_stride + cols, y, mask=mask)

# %% tags=["nbval-ignore-output"]
from grader import machine_code

x, ptx = torch.empty(8, 1024), {}
try:
    for num_warps in (1, 4, 8):
        compiled = machine_code(softmax_kernel, x, x, 1024, 1024, 1024, BLOCK=1024, gpu="H100", num_warps=num_warps)
        ptx[num_warps] = compiled.columns[0].ptx or ""
    print(*[line for line in ptx[1].splitlines() if "shfl" in line][:1])
    print(*[line for line in ptx[4].splitlines() if "bar." in line][:1])
except Exception as error:
    print(error)  # the exercise goes without these texts

# %% [markdown]
# This is **PTX**, the text that Triton hands to NVIDIA's assembler, the program that makes machine code from it. Each
# instruction has a line of its own, after some white space. The line of a shuffle contains `shfl.sync`; `bfly` means
# butterfly, and 16 is the offset. The line of a barrier contains `bar.sync`. No other line contains one of these words.
#
# Barriers cut the text into **barrier intervals**: the lines before the first barrier, the lines between two barriers,
# and the lines after the last one.

# %% [markdown]
# ## Your turn: 12.8
#
# **Predict first.** The kernel of 5.1 has two reductions, and with several warps each of them has the two levels of 12.3. With
# 4 or 8 warps, the text of the kernel has this order:
#
# ```text
# first level of the maximum
#     barrier
# second level of the maximum
#     barrier, before the next first level: the sum uses the same shared memory
# first level of the sum
#     barrier
# second level of the sum
# ```

# %% [markdown]
# How many shuffles are in each barrier interval? One thing is different from 12.3: the compiler knows the number of warps. So
# the second level is a butterfly over the results of these warps, and no lane needs an empty state. Which barrier
# intervals does the text have with one warp?
#
# Some versions of Triton have more barriers than these, with no shuffle between them. So your prediction leaves out every
# barrier interval without a shuffle.

# %%
def predicted_intervals(num_warps):
    """Shuffles in each barrier interval of 5.1 that has any, in the order of the text, as a list.

    num_warps: 1, 2, 4, ..., 32. Every thread has a part of the row.
    """
    # The levels of one reduction, and how many reductions there are. And one warp? (about 3 lines)
    ### BEGIN SOLUTION
    within, across = int(math.log2(32)), int(math.log2(num_warps))
    return [within, across] * 2 if num_warps > 1 else [2 * within]
    ### END SOLUTION

# %% [markdown]
# **Then count** the shuffles of a PTX text, now in *every* barrier interval. A text with one barrier has two
# of them, and an interval without a shuffle counts 0.

# %%
def shuffles_by_interval(ptx):
    """Shuffles before the first barrier, between two barriers, ..., after the last one, as a list.

    ptx: a text of many lines.
    """
    # Cut at the barriers, count in each part (about 2 lines).
    ### BEGIN SOLUTION
    return [interval.count("shfl.sync") for interval in ptx.split("bar.sync")]
    ### END SOLUTION

# %%
check("12.8")

# %% tags=["nbval-ignore-output"]
for num_warps, text in ptx.items():
    counted = shuffles_by_interval(text)
    print(f"num_warps={num_warps}: {counted}, {len(counted) - 1} barriers; predicted {predicted_intervals(num_warps)}")
    assert [n for n in counted if n] == list(predicted_intervals(num_warps))

# %% [markdown]
# <details><summary>Where the two levels are</summary>
#
# **First level**: every 5 in the lists. A warp reduces its 32 values with the offsets 16, 8, 4, 2, 1.
#
# **Second level**: the number after each 5. It is a butterfly over the results of the warps: 2 steps for 4 warps, 3 steps
# for 8 warps.
#
# **Twice**: first the maximum, then the sum.
#
# **One warp** has no second level: five shuffles for each reduction, and no barrier. Is it faster? Not necessarily: each of
# its threads has eight times as many values to reduce by itself as with eight warps.
#
# **Barriers**: Triton 3.9 has one between the levels of each reduction, and one before shared memory is used again, as in
# version 1. Every warp does the second level, as in version 3. With Triton 3.4, few threads do it and store the result for
# all. That needs two more barriers.
#
# *An honest aside*: on an MI300X, a card by AMD, a warp has 64 threads, and its first level is not a butterfly. Values move in one direction
# only, to higher lanes. So only the last lane has the result. One more instruction hands it to all lanes.
#
# </details>

# %% [markdown]
# ## What to read
#
# - NVIDIA, [CUDA C++ Programming Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/): threads and blocks, shared
#   memory, `__syncthreads`, and the warp shuffle functions.
# - Mark Harris, [Optimizing Parallel Reduction in CUDA](https://developer.download.nvidia.com/assets/cuda/files/reduction.pdf)
#   (2007): seven versions of a tree, from divergent threads and bank conflicts to halves.
# - Yuan Lin and Vinod Grover, [Using CUDA Warp-Level
# Primitives](https://developer.nvidia.com/blog/using-cuda-warp-level-primitives/)
#   (2018): shuffles and their masks.
# - NVIDIA, [PTX ISA](https://docs.nvidia.com/cuda/parallel-thread-execution/): `shfl.sync` and `bar.sync`.
# - Maxim Milakov and Natalia Gimelshein, [Online normalizer calculation for softmax](https://arxiv.org/abs/1805.02867) (2018):
#   the states (m, d), with a CUDA kernel.

# %%
progress()

# %% [markdown]
# **Next: [13 · Flash attention](13_flash_attention.ipynb).** There you need the state of lesson 08 again, with one
# more sum.
