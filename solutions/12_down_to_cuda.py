# %% [markdown]
# # 12 · Down to CUDA
#
# `tl.max(x, axis=0)` turns a thousand numbers into one, and you have never asked how. A thread calculates one number at a
# time and sees only its own. In this lesson you take the reduction apart, step by step, and then write softmax once more in
# CUDA C++, the language below Triton.
#
# *About 2.5 to 3 hours. No GPU needed, but the C++ compiler g++.*

# %%
from grader import check, draw, hint, progress, trace
from grader.cuda.launch import launch
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
# This is a **tree reduction**: still 1023 additions, but only as many steps as 1024 can be halved.

# %% [markdown]
# ## Your turn: 12.1
#
# Which two numbers does a thread add? We add **halves**: number `i` of the lower half and number `i` of the upper half.
# Return every state, the values first, and leave the list that you were given as it was:
#
# ```
# tree_reduce([1, 2, 3, 4, 5, 6, 7, 8])  ->  [[1, 2, 3, 4, 5, 6, 7, 8], [6, 8, 10, 12], [16, 20], [36]]
# ```

# %%
def tree_reduce(values):
    """All states of a sum by halves, each a list: the values, what each step makes of them, at last [their sum].

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
# **The sum** is the same either way, up to rounding. *Halves* keep the threads at work next to each other: after the first
# step threads 0 to 3, then 0 and 1. Whole groups of threads have nothing left to do and can rest.
#
# **A new list every step**: a list that is changed after you kept it changes in the keeping, too.
#
# *An honest aside*: a tree also rounds less than a chain. Every number takes part in few additions, and the partial sums
# are of similar size.
#
# </details>

# %% [markdown]
# Here are your additions. Below each sum stand the two places of the step before that it comes from:

# %%
numbers = [3.0, 1.0, 7.0, 0.0, 4.0, 1.0, 6.0, 3.0]
draw.tree(tree_reduce, numbers)

# %% [markdown]
# ## Who knows the result?
#
# At the end the result stands in place 0. But a softmax needs it everywhere: every thread divides by the sum. It could be
# handed back in as many steps again. Does it have to be?
#
# In every step of a tree, half of the threads or more do nothing. Let them do the same work from their side: two
# **partners** exchange their values, and both combine them. The partner of number `l` is `l ^ offset` (exclusive or, hence
# the `xor` of the shuffles below), which flips one bit of it:

# %%
for offset in (4, 2, 1):
    print(f"offset {offset}: " + "  ".join(f"{lane}↔{lane ^ offset}" for lane in range(8) if lane < lane ^ offset))

# %% [markdown]
# ## Your turn: 12.2
#
# A GPU runs threads in groups of 32, the **warps** of lesson 05. A thread's number within its warp is its **lane**. Lanes
# can read each other's values directly, all at the same moment; this exchange is called a **shuffle**. (In Triton a lane was
# an element of a block. Here it is a thread.)
#
# For 32 lanes that is five steps; write it for any power of two. The function `combine` says how two values become one: as
# a sum, as a maximum, or as the states of lesson 08 are merged.

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
# **All at once**: the new list is made from the old one. A lane that is changed in place is read by its partner
# afterwards, and counts twice. A maximum forgives that, a sum does not.
#
# **Every lane ends with the result**. It is often written that lane 0 has it. That is true of the *other* shuffle,
# where lane `l` reads lane `l + offset`: there the upper lanes find nobody to read from.
#
# **Up or down**: the offsets may come in any order. Each of them doubles how many lanes a lane has heard of.
#
# </details>

# %% [markdown]
# Each lane begins with its own name. Whom has it heard of in the end, and how often?

# %%
def names(a, b):
    return "".join(sorted(a + b))


print(*butterfly(list("abcdefgh"), names))

# %% [markdown]
# And with the numbers of the tree? Each step adds as before, but in every lane:

# %%
draw.butterfly(butterfly, numbers)

# %% [markdown]
# ## More than one warp
#
# Threads that share their work form a **thread block**: up to 1024 of them, 32 warps. It does what one program does in
# Triton. Lanes of different warps cannot shuffle. So each warp reduces first, then leaves its result in **shared memory**,
# a small storage that the whole thread block can reach. The second level is one more butterfly over these
# results, filled up to a full 32.
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
# Every thread has a state (m, d) of its own columns. Reduce the warps, then reduce the warps' states in *one* warp. There
# may be fewer than 32 of them. What do the other lanes hold?

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
# **`(-inf, 0)`** changes nothing when it is merged. With `(0, 0)` the maximum becomes 0 for every row that lies below it,
# and far enough below, all exponentials vanish.
#
# **`merge` and not two reductions**: the sums of two warps belong to two maxima.
#
# *Another way*: the maximum first, in two levels, and then the sum relative to it, in two more. It needs no `merge`, and
# twice as many meetings.
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
# Now the same on the hardware's own terms. In CUDA you write what **one thread** does. It is told its number
# (`threadIdx.x`), the number of its thread block (`blockIdx.x`) and how many threads that has (`blockDim.x`). Here is all
# of it:

# %%
double_it = r"""
extern "C" __global__ void double_it(float* y, const float* x, int n_cols) {
    x += (long long)blockIdx.x * n_cols;  // one thread block for each row
    y += (long long)blockIdx.x * n_cols;
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) y[c] = 2 * x[c];
}
"""
launch(double_it, torch.arange(6.0).reshape(2, 3), threads=32)

# %% [markdown]
# The first line marks a kernel. `float* y` is a pointer, and adding to it moves it ahead, as in Triton; `x[c]` is the
# number `c` places further. The `for` is how threads share a row: thread 0 takes columns 0, 32, 64, ..., thread 1 takes 1,
# 33, 65, ... A thread without a column skips the loop.
#
# No GPU was needed: `launch` compiles the text for the CPU, runs every thread, and looks at every access before it happens.

# %% [markdown]
# | C++ | says |
# |---|---|
# | `__global__`, `__device__` | a kernel; a function that kernels call |
# | `extern "C"` | the kernel keeps its name, so that a launch finds it |
# | `0.0f`, `7 / 2` | a float32; integers divide to an integer, 3 |
# | `a ? b : c` | Python's `b if a else c` |
# | `reinterpret_cast<const float4*>(x)` | the same address, as one of four floats: `.x`, `.y`, `.z`, `.w` |
#
# In the exercise, `static_assert(false, "TODO ...")` marks what is yours to write. No `#include` is needed.

# %% [markdown]
# ## A barrier
#
# Threads do not run in step. In the next kernel each stores a number in shared memory and reads that of its neighbour.
# Which of the two comes first?

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
    launch(hopeful, torch.arange(64.0).reshape(1, 64))
except Exception as error:
    print(error)

# %% [markdown]
# `__syncthreads()` is a **barrier**: nobody goes on before every thread of the block has arrived there, and so they have
# met.

# %%
launch(hopeful.replace("// here", "__syncthreads();"), torch.arange(64.0).reshape(1, 64))[0, :6]

# %% [markdown]
# *Every* thread has to get there: at a barrier inside an `if` that some threads skip, the others wait for ever.

# %% [markdown]
# ## Your turn: 12.4
#
# Softmax in three versions, each a text in CUDA C++. `blockDim.x` is a power of two from 32 to 1024, and rows have any
# length.
#
# **Version 1**: three walks along the row, for the maximum, the sum, and the result; a tree in shared memory after each of
# the first two. Useful: `fmaxf(a, b)`, and `__expf(x)`, the fast, approximate exponential.
#
# When is `buffer` free for the second tree? The check below may be run after every version.

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

# %% [markdown]
# **Version 2**: online. One walk finds the state of a thread's columns, one tree merges the states, a second walk stores.
# `merge` exists in CUDA, too. Its `&` hands over places instead of values, so `merge(m, d, ...)` changes `m` and `d`; they
# may be places in shared memory. It stands before the kernel in one text: where a check names a line, it counts from there.

# %%
merge_states = r"""
// The state (m, d) takes in another one, as in lesson 08.
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

# %% [markdown]
# **Version 3**: your 12.3. In a shuffle, `__shfl_xor_sync(0xffffffff, v, offset)` gives the partner's `v`; the first
# argument is a **mask** with a bit for each lane that takes part, here all 32. All of them have to come to that line. In
# the second level, every warp may merge the states of all warps: then no warp has to wait for the result of another one.

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
# And it loads four numbers at once, a `float4` of 16 bytes. Such an address must be a multiple of 16. Rows follow each other
# without gaps, so where do they begin when `n_cols` is no multiple of four? Then version 3 goes through single columns.
#
# The check allows six barriers, however many threads there are: a tree of 1024 in shared memory needs more.

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
    // The columns that no float4 holds: none, or all of them (1 line).
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
    // Store: y4[i] = make_float4(a, b, c, d) for the fours, single columns for the others (about 5 lines).
    // ### BEGIN SOLUTION
    for (int four = me; four < fours; four += blockDim.x) {
        float4 v = x4[four];
        y4[four] = make_float4(__expf(v.x - m) / d, __expf(v.y - m) / d, __expf(v.z - m) / d, __expf(v.w - m) / d);
    }
    for (int c = 4 * fours + me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
    // ### END SOLUTION
}
"""

# %%
check("12.4")

# %% [markdown]
# <details><summary>What each barrier is for</summary>
#
# **Before the tree**: a place is read by another thread than the one that stored there.
#
# **In every step**, outside of the `if`: threads that do not add have to meet the others, too.
#
# **After `m = buffer[0]`**: the fastest thread is about to store its sum into `buffer[0]`, and the slowest has not read the
# maximum yet. This one is forgotten most often, and hardly ever shows.
#
# **Second level**: each warp does it for itself, on the same 32 places. With one warp at work, the result would have to
# go through shared memory again, and past one more barrier.
#
# *An honest aside*: the check on the CPU compares who touched what between two meetings. So it finds a missing barrier
# even where the numbers come out right, as they often would on a GPU.
#
# </details>

# %% [markdown]
# ## The three of them
#
# The same matrix, 128 threads. How often does a thread block meet, and what is read?

# %%
x = torch.randn(4, 512, generator=torch.Generator().manual_seed(12))
for version in (v1, v2, v3):
    y = launch(version, x, threads=128)
    assert torch.allclose(y, torch.softmax(x, dim=1), atol=0, rtol=1e-5)
halvings = int(math.log2(128))
print(f"v1: two trees of {halvings} steps and 3 more, {2 * halvings + 3}; v2: one tree and 1 more, {halvings + 1}")

# %% [markdown]
# ## Thirty-two banks
#
# Shared memory is made of 32 **banks**. Word `w`, of 4 bytes, is in bank `w % 32`, and a bank hands out one word at a time.
# If a warp asks for two words of one bank, its request takes two turns: a **bank conflict** of two **ways**. Threads that
# ask for the *same* word are served at once.
#
# Why did 12.1 add halves? Here is a tree that takes neighbours first: thread 0 combines places 0 and 1, thread 1 places 2
# and 3, and so on. `trace` launches the text and counts the turns, from its addresses. In which step do you expect most?

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
# The distance doubles with each step, and the ways with it, until fewer threads than a warp are left. And your version 1?

# %%
trace(v1, x, threads=256)

# %% [markdown]
# <details><summary>Halves, once more</summary>
#
# **Halves**: thread `me` asks for place `me`, and for place `me + half`. Neighbours ask for neighbours, so 32 threads meet 32
# banks in every step.
#
# **All threads read `buffer[0]`**: one word, one turn.
#
# *An honest aside*: the count is that of the first thread block, and of the accesses that g++ leaves in the kernel. NVIDIA's
# compiler may keep other values in registers. The ways of a request follow from its addresses alone
# ([CUDA C++ Programming Guide, Shared Memory](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#shared-memory)).
#
# </details>

# %% [markdown]
# ## How fast?
#
# An H200 ran them on 4096 rows of 2048 columns, beside the Triton kernel of lesson 05, PyTorch's own softmax and a copy.
# The GB/s count every element once read and once written, whatever a kernel moves.

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../docs/softmax_on_h200.json").read_text())
runs = {run["what"]: run for run in recorded["lessons"]["12"]["results"]}
print(f"{recorded['device']}, recorded {recorded['date']} with torch {recorded['versions']['torch']}")
print(recorded["command"])
share = {}
for what, run in runs.items():
    share[what] = runs["torch.softmax"]["microseconds"] / run["microseconds"]
    speed = run["bytes"] / run["microseconds"] / 1000
    print(f"{what:13} {run['microseconds']:6.1f} µs, {speed:5.0f} GB/s, {share[what]:4.2f} of PyTorch's speed")

# %% [markdown]
# Each version is faster than the one before, and the last keeps up with PyTorch. The Triton kernel of lesson 05 keeps its
# row and reads it once; version 3 reads it twice. From v1 to v2 a whole walk falls away, and little is won: what was read
# just before may still be in a cache.

# %%
assert share["v1"] < share["v2"] < share["v3"] < share["fused_softmax"] and share["v3"] >= 0.9
print(f"{runs['v3']['threads']} threads a block")
print(f"v1 to v2: {share['v2'] / share['v1']:.1f} times as fast, v2 to v3: {share['v3'] / share['v2']:.1f} times")

# %% [markdown]
# So this is what `tl.max` and `tl.sum` stand for: shuffles in each warp, shared memory and a barrier between them. Triton
# writes them for you, and wide loads as well.
#
# If this machine has a GPU and CuPy, here are its own times:

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if where == "cuda" and find_spec("cupy"):
    from grader.cuda import device
    from triton.testing import do_bench

    x = torch.randn(4096, 2048, device=where)
    y = torch.empty_like(x)
    for name, version in (("softmax_v1", v1), ("softmax_v2", v2), ("softmax_v3", v3)):
        kernel = device.kernel(version, name)
        kernel((4096,), 256, (y, x, 2048))
        assert torch.allclose(y, torch.softmax(x, dim=1), atol=0, rtol=1e-4)
        time = do_bench(lambda kernel=kernel: kernel((4096,), 256, (y, x, 2048)), return_mode="median")
        print(f"{name}: {1000 * time:6.1f} microseconds")

# %% [markdown]
# ## Do you believe it?
#
# Shuffles in each warp, shared memory, a barrier: is that what Triton makes of `tl.max` and `tl.sum`? Here is the kernel of
# 5.1. Triton's compiler needs no GPU, and `machine_code` shows what it makes.

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
    print(f"Nothing was compiled, and the exercise goes without it. {error}")

# %% [markdown]
# This is **PTX**, the text that Triton hands to NVIDIA's assembler. A line that begins with `shfl.sync` is a shuffle; `bfly`
# is for butterfly, and 16 is the offset. A line that begins with `bar.sync` is a barrier.
#
# Barriers cut the text into **stretches**. How many shuffles are in each?

# %% [markdown]
# ## Your turn: 12.5
#
# **Predict first.** With 1, 4 and 8 warps, in which stretches do the shuffles lie, and how many in each? 12.3 has two levels,
# and 5.1 two reductions. One thing is different: the compiler knows the number of warps, so it fills nothing up to 32.
#
# How many barriers there are depends on the version of Triton. So leave out stretches without a shuffle.

# %%
def predicted_stretches(num_warps):
    """Shuffles in each stretch of 5.1 that has any, in the order of the text, as a list.

    num_warps: 1, 2, 4, ..., 32. Every thread has a part of the row.
    """
    # The levels of one reduction, and how many reductions there are. And one warp? (about 3 lines)
    ### BEGIN SOLUTION
    within, across = int(math.log2(32)), int(math.log2(num_warps))
    return [within, across] * 2 if num_warps > 1 else [2 * within]
    ### END SOLUTION

# %% [markdown]
# **Then count.** With every stretch now: one barrier makes two stretches, and a stretch without a shuffle counts 0.

# %%
def shuffles_by_stretch(ptx):
    """Shuffles in front of the first barrier, between two barriers, ..., behind the last one, as a list.

    ptx: a text of many lines.
    """
    # Cut at the barriers, count in each part (about 2 lines).
    ### BEGIN SOLUTION
    return [stretch.count("shfl.sync") for stretch in ptx.split("bar.sync")]
    ### END SOLUTION

# %%
check("12.5")

# %% tags=["nbval-ignore-output"]
for num_warps, text in ptx.items():
    counted = shuffles_by_stretch(text)
    print(f"num_warps={num_warps}: {counted}, {len(counted) - 1} barriers; predicted {predicted_stretches(num_warps)}")
    assert [n for n in counted if n] == predicted_stretches(num_warps)

# %% [markdown]
# <details><summary>Where the two levels are</summary>
#
# **First level**: every 5. Each warp reduces its 32 values, for offsets 16, 8, 4, 2, 1.
#
# **Second level**: the number behind it, 2 for 4 warps and 3 for 8. It is a butterfly over the results of the warps.
#
# **Twice**: the maximum, then the sum.
#
# **One warp** has one level and waits for nobody: ten shuffles in a row, and no barrier. `num_warps` is no price tag, though:
# with one warp, each thread has eight times as many values to reduce by itself as with eight.
#
# **Barriers**: one between the levels, and one before shared memory is used again, as in version 1. Triton 3.4 has
# two more: there, few threads do the second level and store its result for all. Triton 3.9 does it as your version 3,
# in every warp.
#
# *An honest aside*: on an MI300X, a warp has 64 threads, and its first level is no butterfly: values go up, only the last
# thread has the result, and one more instruction hands it to all. That is the *other* shuffle of 12.2.
#
# </details>

# %%
progress()

# %% [markdown]
# **Next: [13 · Flash attention](13_flash_attention.ipynb).** The state of lesson 08 once more, with a matrix behind it.
