# %% [markdown]
# # 02 · Bytes, not flops
#
# The five passes move about four times what a softmax has to move. Does that matter to a GPU that calculates many
# trillions of times a second? Here you find out how fast a softmax can be at best, and what holds it back, from two
# numbers on a card's data sheet.
#
# *About 40 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
from grader.draw import hierarchy
import torch

# %% [markdown]
# ## What has to move
#
# This is what the five passes move, as you counted it in lesson 01:

# %%
def naive_traffic(m, n):
    """(elements read, elements written) by the five passes on an m×n matrix."""
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


naive_traffic(4096, 2048)

# %% [markdown]
# ## Your turn: 2.1
#
# A **fused** kernel does all five steps in one go: it reads a row, keeps everything in between on the chip, and writes the
# result. What does it move for an m×n matrix? Count elements again.

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
# **What**: every input is read once, every output is written once. Nothing else leaves the chip, not even the row
# maximum and the row sum.
#
# **Why not less**: every input has a say in its row, so it must be read; every output is asked for, so it must be written.
#
# **Otherwise**: five passes. Each reads what the one before has just written.
#
# *An honest aside*: a row must fit on the chip for this. Lesson 08 is about rows that do not.
#
# </details>

# %% [markdown]
# ## Your turn: 2.2
#
# Suppose that time is proportional to the elements moved, reads and writes alike. How many times as fast as the five
# passes is a fused softmax, then?

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
# What does it come to for longer and longer rows? And does the number of rows play a part? Predict, then run:

# %%
for n in (1, 2, 8, 64, 1024, 16384):
    print(f"n = {n:5}:", *(f"{float(ideal_speedup(m, n)):.5f}" for m in (1, 100)))

# %% [markdown]
# <details><summary>Where the ratio goes</summary>
#
# **What**: (8mn + 4m) / 2mn = 4 + 2/n. The rows cancel, and for long rows 4 remains.
#
# **Why**: the vectors of the row maxima and row sums have one element a row, so beside a long row they weigh nothing.
#
# **Otherwise**: comparing reads only gives more than 5, writes only more than 3. A card has one memory for both.
#
# </details>

# %% [markdown]
# ## Two numbers of a card
#
# We *supposed* that moving takes the time. To know, we need the speed of both things a GPU does.
#
# - **Bandwidth**: how many bytes a second travel between its memory and its chip.
# - **Flop/s**: how many floating-point operations (**flop**), such as one addition, it does in a second. In code this
#   number is called `flops`: operations *per second*, as `bandwidth` is bytes per second.
#
# Data sheets print the peaks of both:

# %%
import json
from pathlib import Path

cards = json.loads(Path("../docs/cards.json").read_text())["cards"]
for card in cards:
    print(f"{card['name']:4}  {card['bandwidth'] / 1e9:4.0f} GB/s  {card['flops'] / 1e12:4.1f} Tflop/s ", card["source"])

# %% [markdown]
# ## Your turn: 2.3
#
# Bytes are elements times **itemsize**, the bytes of one element: `torch.float32.itemsize` is 4. How long does a fused
# softmax take at the very least, if its bytes travel at full bandwidth and everything else is free? That time is its
# **floor**.

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
# **What**: elements × bytes per element gives bytes; bytes ÷ bytes per second gives seconds. If the units do not cancel
# to seconds, the formula is wrong.
#
# **Both directions**: what is written takes its share of the bandwidth too.
#
# **Otherwise**: without the itemsize, float16 and float32 would take equally long.
#
# </details>

# %% [markdown]
# And the arithmetic? For each element, count five operations: compare (for the maximum), subtract, `exp`, add, divide.
# Which of the two times below is longer, and by how much?

# %%
m, n = 4096, 2048
for card in cards:
    moving = floor_time(m, n, torch.float32.itemsize, card["bandwidth"])
    calculating = 5 * m * n / card["flops"]
    print(f"{card['name']:4}  moving {moving * 1e6:6.1f} µs, calculating {calculating * 1e6:5.1f} µs")

# %% [markdown]
# A GPU does both at once, so the longer time counts. Arithmetic that runs in the shadow of the bytes costs nothing.

# %% [markdown]
# ## Operations for each byte
#
# Both times grow with the matrix, so its size does not say which is longer. What does is how many operations come with
# each byte: the **arithmetic intensity**, in flop per byte.

# %%
def flop_per_byte(moved, m, n, itemsize=4):
    """Arithmetic intensity of a softmax; moved is (elements read, elements written)."""
    return 5 * m * n / (itemsize * sum(moved))


for what, moved in (("five passes", naive_traffic(m, n)), ("fused", fused_traffic(m, n))):
    print(f"{what}: {flop_per_byte(moved, m, n):.3f} flop/byte")

# %% [markdown]
# ## Your turn: 2.4
#
# A kernel is bound by **memory** when its bytes take longer than its arithmetic, and bound by **compute** otherwise. You
# get flop per byte, flop per second, and bytes per second. Say which it is.

# %%
def bound_by(intensity, flops, bandwidth):
    """What holds back a kernel of this intensity on a card with these peaks: "memory" or "compute"."""
    # One to three lines. Mind the units on both sides.
    ### BEGIN SOLUTION
    return "memory" if intensity * bandwidth < flops else "compute"
    ### END SOLUTION

# %%
check("2.4")

# %% [markdown]
# <details><summary>The balance of a card</summary>
#
# **What**: intensity × bandwidth is the arithmetic that memory can feed each second. If the card could do more than that,
# it waits for memory.
#
# **Why it is useful**: flop/s over bytes/s belongs to the card alone. Below this **balance**, memory decides.
#
# **Otherwise**: a fixed border such as "10 flop/byte" gives wrong words for some cards. Exactly on the balance both
# words are true.
#
# *An honest aside*: `exp` is more work than one addition, and the peaks count a multiplication and an addition done
# together as two operations. The next cell shows how much that may change.
#
# </details>

# %% [markdown]
# Say that an `exp` costs 1, 10 or 100 operations. Where would a fused softmax stop being bound by memory?

# %%
for exp in (1, 10, 100):
    each = (4 + exp) / 8  # an element is read and written once: 8 bytes in float32
    words = [f"{card['name']} {bound_by(each, card['flops'], card['bandwidth'])}" for card in cards]
    print(f"exp = {exp:3}: {each:6.3f} flop/byte:", ", ".join(words))

# %% [markdown]
# ## The roofline
#
# One picture holds all of it. To the right: more operations a byte. Upwards: more operations a second. No kernel gets
# above its card's **roofline**, which rises as long as memory limits and is flat where arithmetic does.
#
# We also put softmaxes in it that an H200 really ran, on matrices of several sizes: the five passes of lesson 01, and a
# **fused** kernel such as you write in lesson 05. Their times are recorded in a file; the last line printed is the
# command that made it.

# %%
recorded = json.loads(Path("../docs/softmax_on_h200.json").read_text())
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
for card in cards:
    balance = card["flops"] / card["bandwidth"]
    roof = [0.1 * card["bandwidth"], card["flops"], card["flops"]]
    axes.loglog([0.1, balance, 100], roof, color="black", linestyle=styles[card["name"]], label=card["name"])
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
# In words: all softmaxes stand far to the left, where every roof still rises, and below that of the H200 (the solid
# line). A roof turns flat at its card's balance. The roofs as numbers:

# %%
five, fused = (flop_per_byte(moved, m, n) for moved in (naive_traffic(m, n), fused_traffic(m, n)))
for card in cards:
    at = [min(card["flops"], i * card["bandwidth"]) / 1e12 for i in (five, fused)]
    print(f"{card['name']:4}  balance {card['flops'] / card['bandwidth']:4.1f} flop/byte,", end="  ")
    print(f"roof {at[0]:.2f} Tflop/s at {five:.3f} flop/byte and {at[1]:.2f} at {fused:.3f}")

# %% [markdown]
# So fusing is a step to the *right*: the same arithmetic, fewer bytes, a higher roof. Faster arithmetic would lift the
# flat part only, and none of these softmaxes is there.

# %% [markdown]
# ## A floor, not a promise
#
# Dots of one kind stand above each other: the same intensity, different matrices. The next cell shows how long each run
# took and what share of the H200's bandwidth it reached, beside a plain copy of the matrix and that copy's floor. Which
# matrices stay far from the floor? How would you explain it?

# %%
peak = next(card["bandwidth"] for card in cards if card["name"] == "H200")
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
# <details><summary>What the table shows</summary>
#
# **Small matrices** stay far from the floor: a kernel takes some microseconds, however little it moves. For the smallest
# matrix a copy needs many times what its bytes ask for. The five passes are five kernels, each with such a start: that is
# why they lose here, for even four times the floor is little beside their time.
#
# **Large ones** come near, and never quite: not even a copy reaches the number on the data sheet. A fused softmax that is
# as fast as a copy is as fast as it can be.
#
# *An honest aside*: on the largest matrices the five passes take more than four times as long. They not only move
# more; as the table shows, they also move it more slowly.
#
# </details>

# %% [markdown]
# ## What a cache may take away
#
# Elements are counted where a program asks for them. Are they all fetched from memory? Between memory and the chip lies
# the L2 cache, which keeps what went past. Here are the memories of the H200; other cards are `hierarchy(gpu="A100")`,
# `"H100"` and `"T4"`.

# %%
hierarchy()

# %% [markdown]
# <details><summary>Where these numbers come from</summary>
#
# **Sizes, and the speed of the memory**: from what NVIDIA publishes, named below the table.
#
# **Speeds on the chip** follow from the peak of the arithmetic. Each multiplication with addition, which counts as two
# operations, reads three registers and writes one. The peak also tells the clock, and in each clock a multiprocessor's
# shared memory hands out 32 times 4 bytes. Where no number is published, none is shown.
#
# </details>

# %% [markdown]
# A cache can help only if a number is asked for twice, and soon. So it cannot help a copy. Two recorded kernels ask again:
# the five passes, and the **two walks** of lesson 08, which read a row once for its maximum and sum and once more for the
# result. By the books, how many times as long as a copy should each take?

# %%
def beside_copy(lesson, what):
    """{(m, n): recorded time of a kernel, over that of a copy of the same matrix}."""
    times = {(run["m"], run["n"], run["what"]): run["microseconds"] for run in recorded["lessons"][lesson]["results"]}
    return {(m, n): time / times[m, n, "copy"] for (m, n, kind), time in times.items() if kind == what}


def books(what, m, n):
    """Elements that a kernel moves, over those that a copy moves."""
    moved = sum(naive_traffic(m, n)) if what == "five passes" else 2 * m * n + m * n
    return moved / (2 * m * n)


for lesson, name, what in (("02", "five passes", "five passes"), ("08", "two walks", "online")):
    for (rows, columns), ratio in beside_copy(lesson, what).items():
        if rows < 256:  # few rows leave most of the card idle: lesson 09
            continue
        size = f"{rows:5} × {columns:5}, {4 * rows * columns / 2**20:6.1f} MB"
        print(f"{name:11}  {size}: {ratio:.2f} times a copy; by the books {books(what, rows, columns):.2f}")

# %% [markdown]
# <details><summary>When the books are too high</summary>
#
# **Two walks** over short rows take hardly longer than a copy: the second walk finds its row in a cache. Over long rows they
# take what the books say. The rows at work at the same time are then more than the caches hold.
#
# **Five passes**: each goes through the *whole* matrix before the next begins. Of a large one, little is left in the cache
# when the next pass asks for it. A small one fits, but then starting five kernels weighs more.
#
# *An honest aside*: so the ledger counts what a kernel asks for. Memory may have to deliver less, never more. A kernel
# that asks once does not depend on luck.
#
# </details>

# %% [markdown]
# ## Your turn: 2.5
#
# Six claims about large matrices, as one may read them. Which hold? Compute where you can.
#
# - **a** `torch.softmax(x, dim=1)` runs as a chain of five passes.
# - **b** A float32 softmax of 4096×2048, each element moved once in and once out, takes 0.0379 ms. So it moves
#   about 2656 GB/s.
# - **c** On a card with twice the bandwidth and the same flop/s, a fused softmax takes about half the time.
# - **d** If `exp` cost nothing, the five passes would be much faster.
# - **e** In float16, the floor of a matrix is half of what it is in float32.
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
# **a** It is *one* operation, and nothing goes back to memory between its steps. The ledger of lesson 01 could not look
# inside; the recorded times of lesson 12 leave no room for five passes.
#
# **b** Bytes in and bytes out, over the time, give two thirds of that. Somebody counted three transfers and timed two. The
# next cell does the division.
#
# **c** Bound by memory, so the time goes with one over the bandwidth.
#
# **d** The arithmetic is done while bytes travel; without it, the same bytes still have to.
#
# **e** Half the bytes, half the floor.
#
# **f** Five times, and two vectors besides. Seven would count the vectors as matrices.
#
# *An honest aside*: c and d are claims about *large* matrices. For tiny ones, starting a kernel takes longest.
#
# </details>

# %%
for transfers in (2, 3):
    print(f"{transfers} transfers: {transfers * 4096 * 2048 * 4 / 0.0379e-3 / 1e9:.0f} GB/s")

# %%
progress()

# %% [markdown]
# **Next: [03 · Pointers and masks](03_pointers_and_masks.ipynb).** You know how fast a softmax can be. Now meet the tool
# to get there: a kernel that reads and writes memory itself.
