# %% [markdown]
# # 02 · Bytes, not flops
#
# The five passes move the same matrix again and again. Does that matter to a GPU that does many trillions of
# operations in a second? Here you find out which numbers a softmax has to move, how fast it can be at best, and
# which speed of the card limits it. Two numbers from the data sheet of a card are enough for that.
#
# *About 65 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
from grader.draw import hierarchy
import torch

# %% [markdown]
# ## What has to move
#
# The five passes move this many elements, as you counted in lesson 01:

# %%
def naive_traffic(m, n):
    """(elements read, elements written) by the five passes on an m×n matrix."""
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


naive_traffic(4096, 2048)

# %% [markdown]
# ## Your turn: 2.1
#
# A **fused** kernel does all five steps at once: it reads a row, keeps all intermediate numbers on the **chip**,
# beside the arithmetic (in registers and shared memory), and writes the result. How many elements does it move for an
# m×n matrix?

# %%
def fused_traffic(m, n):
    """(elements read, elements written) by a fused softmax of an m×n matrix."""
    # Two whole numbers.
    ### BEGIN SOLUTION
    return m * n, m * n
    ### END SOLUTION

# %%
check("2.1")

# %% [markdown]
# <details><summary>Why no kernel moves less</summary>
#
# **The count**: every input is read once, and every output is written once. Nothing else leaves the chip, not even the
# row maximum and the row sum.
#
# **Why not less**: every output of a row depends on every input of that row, so each input must be read. Each output is
# a part of the result, so it must be written.
#
# **Otherwise**: the five passes also move numbers that are neither input nor output: the maxima, the differences, the
# exponentials and the sums. And they read the input twice.
#
# *An honest aside*: for this, a row must fit on the chip. Lesson 08 is about rows that do not fit.
#
# </details>

# %% [markdown]
# ## One operation that does it all
#
# PyTorch's own softmax is *one* operation. What does the ledger say about it?

# %%
def library_softmax(x):
    return torch.softmax(x, dim=1)


x = torch.randn(64, 32)
traffic(library_softmax, x)

# %% [markdown]
# It says one read and one write. How does it know? `traffic` looks at operations from outside: for each one, it adds
# up the tensors that go in and the tensors that come out. It does *not* look inside `_softmax`, as PyTorch calls this
# operation. It does not know about caches either: an operation may find in the **L2 cache** what another one has just
# written, and the ledger still counts it.

# %%
hierarchy(library_softmax, x)

# %% [markdown]
# One read and one write: a fused kernel moves no more than that. It keeps the row on the chip, in registers and shared
# memory, from the first step to the last. You write such a kernel in lessons 04 and 05. There `traffic` looks inside,
# at every number that the kernel takes from memory and every number that it puts there.

# %% [markdown]
# ## Your turn: 2.2
#
# Suppose that the time is proportional to the number of elements moved, whether they are read or written. By which
# factor is a fused softmax faster than the five passes then?

# %%
def ideal_speedup(m, n):
    """Elements moved by the five passes, over elements moved by a fused softmax."""
    # One or two lines; use the two functions above.
    ### BEGIN SOLUTION
    return sum(naive_traffic(m, n)) / sum(fused_traffic(m, n))
    ### END SOLUTION

# %%
check("2.2")

# %% [markdown]
# How does the ratio change for longer and longer rows? Does it depend on the number of rows? Predict, then run:

# %%
for n in (1, 2, 8, 64, 1024, 16384):
    print(f"n = {n:5}:", *(f"{float(ideal_speedup(m, n)):.5f}" for m in (1, 100)))

# %% [markdown]
# <details><summary>Where the ratio goes</summary>
#
# **The ratio**: (8mn + 4m) / 2mn = 4 + 2/n. The number of rows cancels, and for long rows the ratio comes close to 4.
#
# **Why**: the vectors of the row maxima and row sums have one element for each row. That is very little compared with a
# long row.
#
# **Otherwise**: the ratio of the reads alone is more than 5, that of the writes alone more than 3. A card has one
# memory for both, so their sum counts.
#
# </details>

# %% [markdown]
# ## Two numbers of a card
#
# We only *supposed* that moving takes most of the time. To find out, we need two speeds of a GPU.
#
# - **Bandwidth**: how many bytes move between its memory and its chip in a second.
# - **Flop/s**: how many floating-point operations (**flop**), such as one addition, it does in a second. In code this
#   number is called `flops`: operations *per second*, just as `bandwidth` is bytes per second.
#
# Data sheets give the peaks of both:

# %%
from grader.gpus import data_sheets

cards = data_sheets()
for card in cards:
    print(f"{card.name:4}  {card.bandwidth / 1e9:4.0f} GB/s  {card.flops / 1e12:4.1f} Tflop/s ", card.sources[0])

# %% [markdown]
# ## Your turn: 2.3
#
# The number of bytes is the number of elements times the **itemsize**, the bytes of one element:
# `torch.float32.itemsize` is 4. Suppose that all bytes move at full bandwidth and that nothing else takes time. How
# long does a fused softmax take then? This time is the **floor** of the softmax. As long as every byte really comes from the card's memory or goes there, no run can be faster. (A small matrix may be in the L2 cache already. Then a run
# can be faster than the floor. The section *What a cache may take away* is about that.)

# %%
def floor_time(m, n, itemsize, bandwidth):
    """Seconds that a fused softmax of an m×n matrix takes at least; bandwidth in bytes per second."""
    # One or two lines.
    ### BEGIN SOLUTION
    return sum(fused_traffic(m, n)) * itemsize / bandwidth
    ### END SOLUTION

# %%
check("2.3")

# %% [markdown]
# <details><summary>Let the units tell you</summary>
#
# **The units**: elements × bytes per element gives bytes; bytes ÷ bytes per second gives seconds. If the units do not
# cancel to seconds, the formula is wrong.
#
# **Both directions**: writes use the same bandwidth as reads.
#
# **Otherwise**: without the itemsize, float16 and float32 would take equally long.
#
# </details>

# %% [markdown]
# How long does the arithmetic take? For each element, count five operations: compare (for the maximum), subtract,
# `exp`, add, divide. Which of the two times below is longer, and by how much?

# %%
m, n = 4096, 2048
for card in cards:
    moving = floor_time(m, n, torch.float32.itemsize, card.bandwidth)
    calculating = 5 * m * n / card.flops
    print(f"{card.name:4}  moving {moving * 1e6:6.1f} µs, calculating {calculating * 1e6:5.1f} µs")

# %% [markdown]
# A GPU can do both at the same time, so mainly the longer of the two times counts. While bytes are moving, arithmetic
# costs no extra time.

# %% [markdown]
# ## Operations for each byte
#
# Both times grow with the matrix, so the size does not say which of them is longer. The number of operations for each byte does. It is called the **arithmetic intensity**, in flop per byte.

# %%
def flop_per_byte(moved, m, n, itemsize=4):
    """Arithmetic intensity of a softmax; moved is (elements read, elements written)."""
    return 5 * m * n / (itemsize * sum(moved))


for what, moved in (("five passes", naive_traffic(m, n)), ("fused", fused_traffic(m, n))):
    print(f"{what}: {flop_per_byte(moved, m, n):.3f} flop/byte")

# %% [markdown]
# ## Your turn: 2.4
#
# A kernel is bound by **memory** if it takes longer to move its bytes than to do its arithmetic. Otherwise it is
# bound by **compute**. The function gets three numbers: flop per byte, flop per second, and bytes per second. It
# returns one of the two words.

# %%
def bound_by(intensity, flops, bandwidth):
    """Which of "memory" and "compute" holds back a kernel of this intensity on a card with these peaks."""
    # One to three lines. Mind the units on both sides.
    ### BEGIN SOLUTION
    return "memory" if intensity * bandwidth < flops else "compute"
    ### END SOLUTION

# %%
check("2.4")

# %% [markdown]
# <details><summary>The balance of a card</summary>
#
# **The comparison**: in each second, memory delivers *bandwidth* bytes. For each byte, the kernel does *intensity*
# operations. So the bytes of a second are enough for intensity × bandwidth operations. If the card can do more
# operations in a second, it waits for memory.
#
# **Why it is useful**: flop/s divided by bytes/s depends on the card alone, and is called its **balance**. A kernel
# whose intensity is below the balance is bound by memory.
#
# **Otherwise**: a fixed border such as "10 flop/byte" is wrong for some cards. At an intensity that equals the
# balance, both take the same time.
#
# *An honest aside*: an `exp` takes longer than an addition. Also, the peak of a card counts a multiplication and the
# addition that follows it as two operations. The next cell shows how much the cost of `exp` matters.
#
# </details>

# %% [markdown]
# Suppose that an `exp` costs 1, 10 or 100 operations. On which cards is a fused softmax no longer bound by memory?

# %%
for exp in (1, 10, 100):
    each = (4 + exp) / 8  # an element is read and written once: 8 bytes in float32
    words = [f"{card.name} {bound_by(each, card.flops, card.bandwidth)}" for card in cards]
    print(f"exp = {exp:3}: {each:6.3f} flop/byte:", ", ".join(words))

# %% [markdown]
# ## The roofline
#
# One picture shows all of this. For each intensity, the **roofline** of a card is the most flop/s that it can reach:
# intensity × bandwidth, but never more than its peak. A kernel whose bytes all come from memory cannot be above it
# ([Williams, Waterman and Patterson, 2009](https://doi.org/10.1145/1498765.1498785)). A kernel further to the right
# does more operations for each byte, and a kernel further up does more in a second.
#
# The picture also shows real runs of an H200, on matrices of several sizes: the five passes of lesson 01, and the
# **fused** kernel of lesson 05. Their times are recorded in a file. The last line printed is the command that made the
# file.

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/softmax_on_h200.json").read_text())
lesson = recorded["lessons"]["02"]["results"]
runs = [run for run in lesson if run["what"] != "copy"]
for run in runs:
    run["intensity"] = flop_per_byte((run["read"], run["written"]), run["m"], run["n"])
    run["flops"] = 5 * run["m"] * run["n"] / (run["microseconds"] * 1e-6)
print(f"{len(runs)} runs on {recorded['device']}, recorded {recorded['date']} with torch {recorded['versions']['torch']}")
print(recorded["command"])

# %%
import matplotlib.pyplot as plt

plt.rcParams["font.size"] = 11
figure, axes = plt.subplots(figsize=(6.4, 5), dpi=110, layout="constrained")
styles = {"T4": ":", "A100": "-.", "H20": (0, (4, 1, 1, 1, 1, 1)), "H100": "--", "H200": "-"}
for card in reversed(cards):  # the legend names the highest first
    balance = card.flops / card.bandwidth
    roof = [0.1 * card.bandwidth, card.flops, card.flops]
    axes.loglog([0.1, balance, 100], roof, color="black", linestyle=styles[card.name], label=card.name)
axes.legend(frameon=False, handlelength=3.5, loc="lower right")
for what, marker, color in (("five passes", "s", "#eecc66"), ("fused", "o", "#4477aa")):
    some = [run for run in runs if run["what"] == what]
    x, y = [run["intensity"] for run in some], [run["flops"] for run in some]
    axes.scatter(x, y, s=40, marker=marker, color=color, edgecolor="black", zorder=3)
    axes.text(1.15 * min(x), min(y), f"{what}, recorded", va="center")
axes.set_xlabel("arithmetic intensity, flop per byte")
axes.set_ylabel("flop per second")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# In words: all runs are far to the left, where every roof still rises, and below the roof of the H200 (the solid line).
# A roof becomes flat at the balance of its card. Here are the roofs as numbers:

# %%
five, fused = (flop_per_byte(moved, m, n) for moved in (naive_traffic(m, n), fused_traffic(m, n)))
for card in cards:
    at = [min(card.flops, i * card.bandwidth) / 1e12 for i in (five, fused)]
    print(f"{card.name:4}  balance {card.flops / card.bandwidth:4.1f} flop/byte,", end="  ")
    print(f"roof {at[0]:.2f} Tflop/s at {five:.3f} flop/byte and {at[1]:.2f} at {fused:.3f}")

# %% [markdown]
# So fusing moves a softmax to the *right*: the same arithmetic, fewer bytes, a higher roof. Faster arithmetic would
# raise only the flat part of the roof, and none of these runs is there.

# %% [markdown]
# ## A floor, not a promise
#
# The marks of one kind stand in one column: the matrices differ, but the intensity is the same. The next cell shows how
# long each run took, and which share of the H200's bandwidth it reached. It also shows a plain copy of the matrix. The
# copy and the fused kernel have the same floor. Which matrices are far from it? How do you explain that?

# %%
peak = next(card.bandwidth for card in cards if card.name == "H200")
took = {(run["m"], run["n"], run["what"]): run for run in lesson}
print("     matrix    floor in µs        copy       fused  five passes    five passes / fused")
for rows, columns in dict.fromkeys((run["m"], run["n"]) for run in lesson):
    print(f"{rows:5} × {columns:5}  {floor_time(rows, columns, 4, peak) * 1e6:12.2f}", end="  ")
    for what in ("copy", "fused", "five passes"):
        run = took[rows, columns, what]
        share = 4 * (run["read"] + run["written"]) / (run["microseconds"] * 1e-6) / peak
        print(f"{run['microseconds']:6.1f} {share:3.0%}", end="   ")
    print(f"{run['microseconds'] / took[rows, columns, 'fused']['microseconds']:12.2f} times")

# %% [markdown]
# If this machine has a GPU, the next cell measures some of these rows on it, and shows them beside the record. It takes
# a few seconds. Cards differ in their times; their shares of a copy's speed can be compared.

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("02")

# %% [markdown]
# <details><summary>What the table shows</summary>
#
# **Small matrices** are far from the floor: a kernel takes some microseconds, even if it moves very little. The five
# passes are five kernels, and each of them needs this time to start. That is why they are slower here, and not because
# of the bytes.
#
# **Large matrices** come near the floor but do not reach it: not even a copy reaches the number on the data sheet. A
# fused softmax moves as many bytes as a copy. If it is as fast as a copy, there is little left to gain.
#
# *An honest aside*: on the largest matrices, the five passes take more than four times as long. They move more bytes
# and, as the table shows, they also reach a smaller share of the bandwidth.
#
# </details>

# %% [markdown]
# ## What a cache may take away
#
# The ledger counts the elements that a kernel asks for. Do all of them come from memory? Between memory and the
# multiprocessors there is the L2 cache, which keeps the numbers that were used last. Here are the memories of the H200.
# For other cards, write `hierarchy(gpu="A100")`, `"H100"` or `"T4"`.

# %%
hierarchy()

# %% [markdown]
# <details><summary>Where these numbers come from</summary>
#
# **Sizes, and the speed of the memory**: NVIDIA publishes them; the sources are named below the table.
#
# **Speeds on the chip** are computed from the peak of the arithmetic. A multiplication together with an addition is
# one instruction. This instruction counts as two operations, reads three registers and writes one. The clock rate is
# computed from the peak, too. In each clock cycle, the shared memory of a multiprocessor delivers 32 times 4 bytes.
# If no number is published, the table shows none.
#
# </details>

# %% [markdown]
# A cache helps if the same number was used a short time ago. All recorded runs began with an emptied L2 cache. So it
# could not help the copy or the fused kernel, which read each number once. (Without emptying, a matrix that fits in the
# L2 cache may still be there from the run before. Then a run can be faster than its floor.)

# %% [markdown]
# Two of the recorded softmaxes read numbers again: the five passes, and the kernel of lesson 08 with its **two walks**. That kernel reads a row once for the maximum and the sum, and once more for the result. If their time followed the ledger, what multiple of a copy's time would each of the two take?

# %%
def beside_copy(lesson, what):
    """{(m, n): recorded time of a kernel, over that of a copy of the same matrix}."""
    times = {(run["m"], run["n"], run["what"]): run["microseconds"] for run in recorded["lessons"][lesson]["results"]}
    return {(m, n): time / times[m, n, "copy"] for (m, n, kind), time in times.items() if kind == what}


def by_ledger(what, m, n):
    """Elements that a kernel moves, over those that a copy moves."""
    moved = sum(naive_traffic(m, n)) if what == "five passes" else 2 * m * n + m * n
    return moved / (2 * m * n)


for lesson, name, what in (("02", "five passes", "five passes"), ("08", "two walks", "online")):
    for (rows, columns), ratio in beside_copy(lesson, what).items():
        if rows < 256:  # few rows leave most of the card idle: lesson 09
            continue
        size = f"{rows:5} × {columns:5}, {4 * rows * columns / 1e6:6.1f} MB"
        print(f"{name:11}  {size}: {ratio:.2f} times a copy; by the ledger {by_ledger(what, rows, columns):.2f}")

# %% [markdown]
# <details><summary>Where the times differ from the ledger</summary>
#
# **Two walks** over short rows take little longer than a copy: the second walk finds its row in a cache. Over long
# rows they take about as long as the ledger says: many programs run at the same time, and their rows together are
# larger than the caches.
#
# **Five passes** over large matrices take about five times as long as a copy, which is more than the ledger says. Each
# pass goes through the *whole* matrix before the next one begins, so a cache helps little. And the passes reach a
# smaller share of the bandwidth. Over small matrices, the start of five kernels takes most of the time.
#
# *An honest aside*: the ledger counts what a kernel asks for. With a cache, memory may have to deliver less.
#
# </details>

# %% [markdown]
# ## Your turn: 2.5
#
# Here are six claims about large matrices. Which of them are true? Compute where you can.
#
# - **a** In the ledger, `torch.softmax(x, dim=1)` is a chain of five operations.
# - **b** A float32 softmax of 4096×2048 reads each element once and writes it once, in 0.0379 ms. So it moves about
#   2656 GB/s.
# - **c** On a card with twice the bandwidth and the same flop/s, a fused softmax takes about half the time.
# - **d** If `exp` cost nothing, the five passes would be much faster.
# - **e** The floor of a matrix in float16 is half of its floor in float32.
# - **f** The five passes read the matrix seven times: 7 MN elements.

# %%
# A dictionary with the keys "a" to "f", each True or False.
### BEGIN SOLUTION
myths = {"a": False, "b": False, "c": True, "d": False, "e": True, "f": False}
### END SOLUTION

# %%
check("2.5")

# %% [markdown]
# <details><summary>The claims, one by one</summary>
#
# **a** It is *one* operation, with one read and one write. The ledger cannot look inside it, but the recorded times of
# lesson 12 are too short for five passes.
#
# **b** The bytes read and the bytes written, divided by the time, give two thirds of that number. The claim counts
# three transfers, and there are two. The next cell divides.
#
# **c** The kernel is bound by memory, so twice the bandwidth means half the time.
#
# **d** The arithmetic is done while bytes move. Without it, the same bytes still have to move.
#
# **e** Half the bytes, half the floor.
#
# **f** They read five matrices, and two vectors. Seven counts the vectors as matrices.
#
# *An honest aside*: c and d are claims about *large* matrices. For tiny matrices, most of the time is the start of a
# kernel.
#
# </details>

# %%
for transfers in (2, 3):
    print(f"{transfers} transfers: {transfers * 4096 * 2048 * 4 / 0.0379e-3 / 1e9:.0f} GB/s")

# %% [markdown]
# ## What to read
#
# - The roofline: Samuel Williams, Andrew Waterman and David Patterson, [*Roofline: an insightful visual performance
#   model for multicore architectures*](https://doi.org/10.1145/1498765.1498785) (2009).
# - Memory, compute, and overhead: Horace He, [*Making Deep Learning Go Brrrr From First
#   Principles*](https://horace.io/brrr_intro.html) (2022).
# - The balance of computers over the years: John Hennessy and David Patterson, *Computer Architecture: A Quantitative
#   Approach*, 6th edition (2017), the chapter *Data-Level Parallelism in Vector, SIMD, and GPU Architectures*.

# %%
progress()

# %% [markdown]
# **Next: [03 · Pointers and masks](03_pointers_and_masks.ipynb).** You know how fast a softmax can be. Next, you learn
# to write kernels, which read and write memory themselves.
