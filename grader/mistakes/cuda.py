"""The mistakes of a softmax kernel in CUDA C++: texts, wrong reductions of a block, detectors.

The wrong reductions run in PyTorch. Each thread walks along its own columns with an update of softmax/walks.py and ends
with a state (m, d). The states of all blocks are two tensors of the shape M×T for M rows and T threads. A reduction
takes these states and returns the state with which each thread normalises its columns, M×T again.

Facts of a case: x (M×N), out (the index of the output among the arguments), threads (T), and version: v1, v2 or v3.
"""

from __future__ import annotations

import re
from dataclasses import replace

import torch

from ..checks import compare
from ..reference.cuda import merge_states, unstored_load, version_fault
from ..reference.reductions import LANES
from ..sentence import kind_of, named, said, within
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .detectors import both, formula, looks, only_where, outside
from .mistake import Mistake
from .mutant import Mutant
from .softmax import formulas, shares, walks

INF = torch.inf

MISTAKES = [
    Mistake(
        "maxima-not-reduced",
        "The values are shifted by the maximum of only some threads: the tree of maxima does not include all places.",
        "After the last step of your first tree, the values of which places are included in buffer[0]?",
    ),
    Mistake(
        "component-left-out",
        "One or two components of the float4 are missing in the maximum.",
        "Which of the four may be the largest, and which of them does your maximum compare?",
    ),
    Mistake(
        "barrier-not-called",
        "`__syncthreads` stands there without parentheses, so it is named and not called: no thread waits.",
        "What makes a call out of the name of a function?",
    ),
    Mistake(
        "comment-of-python",
        "In C++, `#` begins a line for the preprocessor, and no comment.",
        "With which two characters do the comments of the given kernels begin?",
    ),
    Mistake(
        "loop-of-python",
        "A loop of C++ has three parts in parentheses, with semicolons between them: its beginning, its condition, and "
        "its step.",
        "How do the loops of the given kernels look, and which sign stands between their parts?",
    ),
    Mistake(
        "barrier-outside-its-loop",
        "A loop without braces has one statement. The barrier below it stands outside of the loop, however far it is "
        "indented; g++ -Wall warns of that: this 'for' clause does not guard it.",
        "How often does a thread reach this barrier, if the loop takes five steps?",
    ),
    Mistake(
        "line-outside-its-clause",
        "A `for` or an `if` without braces has one statement. The line below it stands outside, however far it is "
        "indented; g++ -Wall warns of that: this clause does not guard it.",
        "Which threads execute the second line below your `for` or `if`, and how often?",
    ),
    Mistake(
        "result-for-thread-zero",
        "Thread 0 alone takes the result of the block, and every other thread goes on with a number of its own.",
        "Which number has thread 5 in this variable after that line?",
    ),
    Mistake(
        "barrier-missing",
        "One thread stores to a place in shared memory that another one reads, and nothing orders the two.",
        "Should both threads use this place, and if so, where must one of them wait for the other?",
    ),
    Mistake(
        "shared-reused",
        "A thread stores to a place in shared memory while other threads may still have to read its old value.",
        "When the fastest thread goes on, which values does the slowest thread still have to read?",
    ),
    Mistake(
        "shared-two-writers",
        "Several threads store to one place: values are lost, and nobody knows which one stays.",
        "Which thread should that place belong to?",
    ),
    Mistake(
        "barrier-divergent",
        "Not all threads reach one of the barriers: it separates nothing, or those that reach it wait for ever.",
        "Which condition or `return` keeps some threads from that barrier, and for which threads does it hold?",
    ),
    Mistake(
        "shuffle-divergent",
        "The mask of a shuffle does not name just the lanes that reach the shuffle.",
        "Which lanes does the mask name, and which lanes reach that line?",
    ),
    Mistake(
        "lane-outside-its-mask",
        "A lane executes a shuffle whose mask does not name this lane.",
        "Which bits of the mask are set, and which lanes reach that line?",
    ),
    Mistake(
        "shuffle-mask-short",
        "A lane wants the value of a lane that takes no part in the shuffle.",
        "Which lanes does the first argument of the shuffle name, and with which lanes does a step exchange values?",
    ),
    Mistake(
        "array-not-shared",
        "An array of the kernel has no `__shared__`, so each thread has an array of its own.",
        "Which threads can read a place of that array?",
    ),
    Mistake(
        "shared-too-small",
        "An index is outside of its array. A block may have 1024 threads, and they are 32 warps.",
        "How many places does the array have, and which values can that index take?",
    ),
    Mistake(
        "shared-too-large",
        "The arrays take more shared memory than a block can have.",
        "How many places does a block of 1024 threads need?",
    ),
    Mistake(
        "shared-unstored",
        "Shared memory was read at a place where no thread of the block had stored. The check puts NaN and "
        "infinities there.",
        "Which places are filled before that line, and which of them does it read?",
    ),
    Mistake(
        "reduced-in-series",
        "The numbers are right, but the reduction takes many more steps than a tree.",
        "How many steps does a tree take for as many numbers?",
    ),
    Mistake(
        "walked-alone",
        "The numbers are right, but few threads read the row, and the others of the block have nothing to do.",
        "Which columns are those of thread 0, and which are those of thread 1?",
    ),
    Mistake(
        "no-shuffle",
        "The numbers are right, but the lanes of a warp never exchange their states.",
        "How does a lane get the values of its partner without shared memory?",
    ),
    Mistake(
        "stored-again",
        "Some elements are stored more than once.",
        "Which columns does each loop of a thread store, with which one does it begin, and by how many does it go on?",
    ),
    Mistake(
        "tree-threads",
        "In one step of the tree, a thread changes a place that another thread reads in that step.",
        "Which threads work in this step, and whose places do they read?",
    ),
    Mistake(
        "columns-twice",
        "Columns that a float4 holds were counted once more, one by one.",
        "At which column does the loop over single columns begin when n_cols is a multiple of four?",
    ),
    Mistake(
        "columns-never-read",
        "Some columns reached neither the maximum nor the sum: those that no float4 holds.",
        "Which of the loops that build m and d handles a row whose length is no multiple of four?",
    ),
    Mistake(
        "second-tree-maxima",
        "The second tree still holds the maxima.",
        "What is in shared memory when the second tree begins?",
    ),
    Mistake(
        "sum-of-differences",
        "The differences x - max were added as they are; exp is missing.",
        "Which terms does the denominator of a softmax add?",
    ),
    Mistake(
        "threads-not-merged",
        "Every thread used a result of its own columns alone.",
        "Whose maximum and whose sum does the softmax of a row need?",
    ),
    Mistake(
        "thread-maximum",
        "Each thread took its values relative to its own maximum, but the sum belongs to the maximum of the row.",
        "Which maximum does the merged sum belong to?",
    ),
    Mistake(
        "single-state",
        "Every element is an infinity: when a thread divides, its d is 0, or its m is -inf.",
        "What are m and d of a single number, and which lines bring them to the thread that divides?",
    ),
    Mistake(
        "tree-result-unread",
        "The sums of all threads were added, but each of them belongs to the maximum of its own thread.",
        "Where does a thread find the maximum of the row when the first tree is done?",
    ),
    Mistake(
        "tree-step-missing",
        "Steps of the tree are missing, so some of the threads were left out.",
        "Which values does half take one after another, and how many places are left to add up after the last of them?",
    ),
    Mistake(
        "sum-overwritten",
        "Each thread kept only the last of its terms.",
        "What happens to the sum so far when the next column comes?",
    ),
    Mistake(
        "merged-not-stored",
        "The whole block uses the state of thread 0 alone: no other state was merged into it.",
        "How often does the loop of the tree run, and where does each step store its result?",
    ),
    Mistake(
        "own-sum-for-partner",
        "The partner's maximum was merged with one's own sum.",
        "Which two numbers belong to the state of the partner?",
    ),
    Mistake(
        "columns-counted-again",
        "Columns were counted by several threads: two columns of a thread are less far apart than there are threads.",
        "Which columns are those of thread 0, and how far apart are two of them?",
    ),
    Mistake(
        "sum-subtracted",
        "A term was subtracted from the sum, and it should be added.",
        "Which sign does the d of a row have if every number in it is the same?",
        Mutant("13.2 13.3", " + tl.sum(p, axis=1)", " - tl.sum(p, axis=1)"),
        Mutant("13.1", "+ p.sum(", "- p.sum("),
        Mutant("8.1", "+ math.exp(x - new)", "- math.exp(x - new)"),
        Mutant("8.2", "+ db *", "- db *"),
        Mutant("8.3 9.1", "+ tl.sum(tl.exp(", "- tl.sum(tl.exp("),
    ),
    Mistake(
        "threads-disagree",
        "The numbers of one thread are in the right proportion to each other, and the numbers of two threads are not: "
        "the threads do not all divide by the same d, or do not all subtract the same m.",
        "From where does each thread take m and d before it stores?",
    ),
    Mistake(
        "quotient-infinite",
        "An infinity was stored: the thread divided by 0, or its m lies far below the numbers of the row.",
        "Which m and which d does that thread have when it stores, and where do they come from?",
    ),
    Mistake(
        "row-of-another",
        "A row holds the result of another row.",
        "Which number tells one thread block from another, and how far does it move your pointers?",
    ),
    Mistake(
        "one-component-wrong",
        "Of each float4 one component was stored with a wrong number, and the other three are right.",
        "In which place does the line of that component differ from those of the other three?",
    ),
    Mistake(
        "largest-thread-sum",
        "The second tree kept only the largest sum of all threads, but all sums are needed.",
        "What should a step of the second tree do with two sums?",
    ),
    Mistake(
        "thread-maxima-added",
        "The first tree added the maxima of the threads, and a thread without a column has the maximum -inf.",
        "What should a step of the first tree do with two maxima?",
    ),
    Mistake(
        "state-of-one-number",
        "A number x was merged as a state that is not the state of the one number x.",
        "What are maximum and sum of a row that holds x and nothing else?",
    ),
    Mistake(
        "merged-in-registers",
        "The tree stored the merged state in the variables m and d of each thread, but its next step reads shared "
        "memory.",
        "Which two places does a step of the tree read, and into which one does it store?",
    ),
    Mistake(
        "infinity-of-python",
        "In C++ float('inf') is no infinity: letters between single quotes are a whole number.",
        "Which word do the given kernels use for infinity?",
    ),
    Mistake(
        "own-warp-repeated",
        "Each warp merged its own state, as often as there are warps, and the state of no other warp.",
        "Which state should lane 1 of a warp hold before the second level: that of its own warp, or that of warp 1?",
    ),
    Mistake(
        "not-rescaled-unguarded",
        "A sum was added without rescaling. And while the maximum is still -inf, the exponent is -inf - (-inf), which "
        "is NaN.",
        "By which factor does exp(x - m) change when m changes, and what is it while m is -inf?",
    ),
    Mistake(
        "merged-into-copies",
        "The butterflies changed nothing: after each of them, a lane had the same m and d as before.",
        "Into which two variables is the partner's state merged, and which two does the kernel read afterwards?",
    ),
    Mistake(
        "own-place-read",
        "After the tree, every thread read its own place in shared memory, but only one place holds the result.",
        "What does place 5 hold when the last step of the tree is done?",
    ),
    Mistake(
        "components-exchanged",
        "The numbers of a float4 changed places between the load and the store.",
        "Which component of the float4 belongs to the first of the four columns?",
    ),
    Mistake(
        "tree-idle",
        "The sum of thread 0 alone was used for the whole row: the tree of the sums changed nothing.",
        "Which values does half take in the second tree, and where does each of its steps store its result?",
    ),
    Mistake(
        "lane-zero-alone",
        "Each warp stored the state of its lane 0 alone.",
        "What do the 32 lanes have to do before lane 0 holds the state of all of them?",
    ),
    Mistake(
        "maximum-for-sum",
        "A maximum was used in place of the sum of a state.",
        "Which of your lines should pass on a d, and which value does it pass on?",
    ),
    Mistake(
        "sum-for-maximum",
        "A sum was used in place of the maximum of a state.",
        "Which of your lines should pass on an m, and which value does it pass on?",
    ),
    Mistake(
        "columns-of-others",
        "The threads together read more elements than their walks need: some columns are read by two threads.",
        "Which columns are those of thread 0, and which are those of thread 1?",
    ),
    Mistake(
        "parameters-exchanged",
        "The kernel's parameters stand in another order than in the given line, so y and x have changed places.",
        "Which pointer does a launch pass first, and which of your parameters receives it?",
        Mutant("12.4", "copy_rows(float* y, const float* x", "copy_rows(const float* x, float* y", replayed=False),
        Mutant("12.5", "(float* y, const float* x, int", "(const float* x, float* y, int", replayed=False),
    ),
    Mistake(
        "variable-shadowed",
        "A new variable was declared inside braces, with the name of an outer one. After the braces it is gone, and "
        "the outer one has not changed.",
        "Which word at the beginning of a line makes a new variable, and which value does the outer one still have?",
        Mutant(
            "12.7",
            "m = lane < warps ? ms[lane] : -INFINITY;\n    d = lane < warps ? ds[lane] : 0.0f;",
            "if (lane < warps) {\n        float m = ms[lane];\n        float d = ds[lane];\n    }",
            replayed=False,
        ),
    ),
    Mistake(
        "fours-for-columns",
        "`fours` counts groups of four columns, but a loop over single columns begins at that number.",
        "How many columns do these groups hold, and which is the first column after them?",
        Mutant("12.7", "int c = 4 * fours + me", "int c = fours + me", 2, replayed=False),
        Mutant(
            "12.7",
            "4 * fours + me; c < n_cols; c += blockDim.x) merge",
            "fours + me; c < n_cols; c += blockDim.x) merge",
            replayed=False,
        ),
    ),
    Mistake(
        "one-warp-knows",
        "Only the first warp has the state of the whole row. The others go on with other states.",
        "Which warps store numbers of the row, and from where does each of them know m and d?",
    ),
    Mistake(
        "partner-for-mask",
        "You give __shfl_xor_sync the number of a lane as its third argument. It computes that number from the offset.",
        "What does __shfl_xor_sync do with its third argument?",
    ),
    Mistake(
        "thread-of-the-grid",
        "In your kernel, the first column of a thread is the thread's number in the whole grid. So columns are left "
        "out at the beginning of every row but row 0.",
        "In how many blocks is there a thread 0, and which column is the first one of each of them?",
    ),
    Mistake(
        "partner-unused",
        "Each state was merged with itself, and the state of the partner was never used.",
        "Which two states does one step merge?",
    ),
    Mistake(
        "own-maximum-for-partner",
        "The partner's sum was merged with one's own maximum.",
        "Which two numbers belong to the state of the partner?",
    ),
    Mistake(
        "too-many-barriers",
        "The numbers are right, but the whole block meets for every step of the reduction.",
        "Which steps are between the 32 lanes of one warp, which can exchange values directly?",
    ),
    Mistake(
        "no-float4",
        "The numbers are right, but four neighbours are loaded one by one, and they could be loaded together.",
        "What could a thread load when a row begins at a multiple of 16 bytes?",
    ),
    Mistake(
        "misaligned",
        "An access of several floats began at an address where a GPU does not allow it.",
        "With which element of the array does each such access begin, and is its number a multiple of four?",
    ),
    Mistake(
        "float4-tail",
        "The last columns of a row were never stored: those that are in no group of four.",
        "Which columns does no group of four hold?",
    ),
    Mistake(
        "no-stride-loop",
        "Each thread did one column alone, and no thread did the columns after these.",
        "In a row with more columns than threads, which columns are those of thread 0, and which line goes on to each?",
    ),
    Mistake(
        "thread-beyond-row",
        "A thread worked on a column past the end of its row.",
        "What should a thread do that has no column left?",
    ),
    Mistake(
        "thread-for-row",
        "The number of the thread was used for the row.",
        "Which number is the number of the row: the number of the block, or the number of the thread?",
    ),
    Mistake(
        "cuda-outside",
        "A thread computed an address outside of the matrix.",
        "Which row and which column should that thread have, and which address does your line compute from them?",
    ),
    Mistake(
        "wild-address",
        "An address is in none of the kernel's arrays.",
        "In that line, which array does the pointer or the name stand for, and which values can the index take?",
    ),
    Mistake(
        "cuda-does-not-compile",
        "The compiler cannot read the kernel.",
        "What is missing or too much in that line or the line above it, or does a bracket further up have no partner?",
    ),
    Mistake(
        "letters-behind-a-number",
        "C++ does not know the letters behind this number. An f may stand only behind a number with a point.",
        "Which number or name did you mean there, and how does C++ write it?",
    ),
    Mistake(
        "cuda-not-allowed",
        "The compiler does not allow this line.",
        "Is a name in it unknown, declared twice or read-only, is something missing or too much, or does a type not "
        "fit?",
    ),
    Mistake(
        "kernel-text-expected",
        "A kernel in CUDA C++ is a text in quotation marks here, and the name holds another object.",
        "Which object does your cell give to that name, and which one should it be?",
    ),
    Mistake(
        "kernel-not-found",
        "The text compiles, but a launch looks for its kernel by name and finds none.",
        "In the line that the exercise gives, what is the kernel's name, and which words are in front of it?",
    ),
]


# ---- wrong ways to merge two states


def _not_rescaled(m, d, other_m, other_d):
    """The sums added as they are."""
    return torch.maximum(m, other_m), d + other_d


def _one_side_rescaled(m, d, other_m, other_d):
    """Only the own sum rescaled."""
    top = torch.maximum(m, other_m)
    return top, d * torch.exp(m - torch.where(top == -INF, 0.0, top)) + other_d


def _other_side_rescaled(m, d, other_m, other_d):
    """Only the partner's sum rescaled."""
    return _one_side_rescaled(other_m, other_d, m, d)


def _factor_inverted(m, d, other_m, other_d):
    """exp(new - old) in place of exp(old - new); an empty state adds 0."""
    top = torch.maximum(m, other_m)
    parts = [torch.where(dd > 0, dd * torch.exp(top - mm), 0.0) for mm, dd in ((m, d), (other_m, other_d))]
    return top, parts[0] + parts[1]


def _unguarded(m, d, other_m, other_d):
    """Two empty states give NaN, from -inf minus -inf."""
    top = torch.maximum(m, other_m)
    return top, d * torch.exp(m - top) + other_d * torch.exp(other_m - top)


def _own_factor_inverted(m, d, other_m, other_d):
    """The own sum divided by its factor."""
    top = torch.maximum(m, other_m)
    return top, d / torch.exp(m - top) + other_d * torch.exp(other_m - top)


def _partners_factor_inverted(m, d, other_m, other_d):
    """The partner's sum divided by its factor."""
    return _own_factor_inverted(other_m, other_d, m, d)


def _own_sum_for_partner(m, d, other_m, other_d):
    """The partner's maximum with the own sum."""
    return merge_states(m, d, other_m, d)


def _guarded(m, d, other_m, other_d):
    """The right merge, also of sums that are no sums: two empty states stay what the first one is."""
    top = torch.maximum(m, other_m)
    merged = d * torch.exp(m - top) + other_d * torch.exp(other_m - top)
    return top, torch.where(top == -INF, d, merged)


def _last_term(m, d, value, top):
    """An update in which the new value replaces all values before it."""
    return value, torch.ones_like(d)


# ---- reductions of a block


def _tree(merge=merge_states):
    """A tree over all threads; every thread ends with the state in place 0."""

    def reduce(m, d):
        count = m.shape[1]
        while m.shape[1] > 1:
            half = m.shape[1] // 2
            m, d = merge(m[:, :half], d[:, :half], m[:, half:], d[:, half:])
        return m.expand(-1, count), d.expand(-1, count)

    return reduce


_RIGHT_TREE = _tree()


def _two_levels(
    merge=merge_states, shuffle="xor", first: int = LANES // 2, last: int = 1, pad: float = -INF, told: int = LANES
):
    """A reduction of each warp, then of the warps' states.

    shuffle: "xor" or "down". first, last: the largest and the smallest offset; a warp has no lane LANES. pad: the
    maximum in the lanes of the second level that have no warp. told: the number of warps that receive the result of the
    second level.
    """

    def warp(m, d):
        offset, lanes = first, torch.arange(LANES)
        while offset >= last:
            down = torch.where(lanes + offset < LANES, lanes + offset, lanes)
            other = (lanes ^ offset) % LANES if shuffle == "xor" else down
            m, d = merge(m, d, m[..., other], d[..., other])
            offset //= 2
        return m, d

    def reduce(m, d):
        rows, threads = m.shape
        m, d = warp(m.reshape(rows, -1, LANES), d.reshape(rows, -1, LANES))
        missing = LANES - m.shape[1]
        all_m, all_d = warp(
            torch.nn.functional.pad(m[:, :, 0], (0, missing), value=pad),
            torch.nn.functional.pad(d[:, :, 0], (0, missing)),
        )
        m[:, :told], d[:, :told] = all_m[:, None], all_d[:, None]
        return m.reshape(rows, -1), d.reshape(rows, -1)

    return reduce


def _in_registers(m, d):
    """A tree that merges into the states of the threads, which keep them; its places keep what they held at first."""
    places_m, places_d, m, d = m, d, m.clone(), d.clone()
    half = m.shape[1] // 2
    while half:
        lower, upper = slice(0, half), slice(half, 2 * half)
        m[:, lower], d[:, lower] = merge_states(m[:, lower], d[:, lower], places_m[:, upper], places_d[:, upper])
        half //= 2
    return m, d


def _own_places(shared_maximum: bool):
    """A tree after which each thread reads the sum in its own place, and the maximum in place 0 or in its own."""

    def reduce(m, d):
        m, d, half = m.clone(), d.clone(), m.shape[1] // 2
        while half:
            lower, upper = slice(0, half), slice(half, 2 * half)
            m[:, lower], d[:, lower] = merge_states(m[:, lower], d[:, lower], m[:, upper], d[:, upper])
            half //= 2
        return (m[:, :1].expand_as(m) if shared_maximum else m), d

    return reduce


def _places(values, combine):
    """What a tree leaves in its places, values (M×T): each step stores combine(lower half, upper half) below."""
    half = values.shape[1] // 2
    while half:
        values[:, :half] = combine(values[:, :half], values[:, half : 2 * half])
        half //= 2
    return values


def _own_sums(m, d):
    """Two trees, of maxima and of sums relative to the row's maximum; each thread reads the sum in its own place."""
    top = m.amax(1, keepdim=True)
    return top.expand_as(m), _places(d * torch.exp(m - top), torch.add)


def _own_maxima_places(m, d):
    """Two trees, of maxima and of sums; each thread takes the maximum in its own place for that of the row."""
    places = _places(m.clone(), torch.maximum)
    sums = torch.where(d > 0, d * torch.exp(m - places), 0.0)
    return places, sums.sum(1, keepdim=True).expand_as(d)


def _first_warp(m, d):
    """A tree over the places of the first LANES threads."""
    return tuple(t[:, :1].expand_as(m) for t in _RIGHT_TREE(m[:, :LANES], d[:, :LANES]))


def _maxima_as_sums(m, d):
    """A tree of states, whose sums are the maxima."""
    return _tree(_guarded)(m, m)


def _largest_sum(m, d):
    """Every thread ends with the row's maximum and the largest of the sums relative to it."""
    top = m.amax(1, keepdim=True)
    return top.expand_as(m), (d * torch.exp(m - top)).amax(1, keepdim=True).expand_as(d)


def _maxima_added(m, d):
    """Two trees; the first one adds the maxima of the threads."""
    top = m.sum(1, keepdim=True)
    sums = torch.where(d > 0, d * torch.exp(m - top), 0.0)
    return top.expand_as(m), sums.sum(1, keepdim=True).expand_as(d)


def _subtracting_tree(m, d):
    """Every thread ends with the row's maximum; the tree of sums subtracts its upper half."""
    top = m.amax(1, keepdim=True)
    return top.expand_as(m), _places(d * torch.exp(m - top), torch.sub)[:, :1].expand_as(m)


def _by_warps(of_warps):
    """A reduction of each warp; of_warps(m, d, all_m, all_d) then gives the states of all lanes.

    m, d: M×W×LANES, the states after the first level. all_m, all_d: M×LANES, those of the warps, empty beyond the last.
    """

    def reduce(m, d):
        rows, threads = m.shape
        m, d = (t.reshape(rows, -1, LANES) for t in _two_levels(told=0)(m, d))
        missing = LANES - m.shape[1]
        all_m, all_d = (torch.nn.functional.pad(t[:, :, 0], (0, missing), value=v) for t, v in ((m, -INF), (d, 0.0)))
        return tuple(t.reshape(rows, threads) for t in of_warps(m, d, all_m, all_d))

    return reduce


def _states_of_lanes(m, d, all_m, all_d):
    """Lane l goes on with the state of warp l."""
    return all_m[:, None].expand_as(m), all_d[:, None].expand_as(d)


def _in_warp_zero(m, d, all_m, all_d):
    """Warp 0 has the result; in the other warps, lane l goes on with the state of warp l."""
    m, d = (t.clone() for t in _states_of_lanes(m, d, all_m, all_d))
    whole = _two_levels()(all_m, all_d)
    m[:, 0], d[:, 0] = whole
    return m, d


def _own_state_repeated(m, d, all_m, all_d):
    """As many times as there are warps, each warp merges its own state."""
    return m, d * m.shape[1]


def _own_state_in_spare_lanes(m, d, all_m, all_d):
    """The lanes of the second level that have no warp hold the state of their own warp."""
    warps = m.shape[1]
    all_m, all_d = all_m[:, None].repeat(1, warps, 1), all_d[:, None].repeat(1, warps, 1)
    all_m[:, :, warps:], all_d[:, :, warps:] = m[:, :, warps:], d[:, :, warps:]
    flat = _two_levels(told=0)(all_m.flatten(1), all_d.flatten(1))
    return tuple(t.reshape(m.shape) for t in flat)


def _maxima_for_sums(m, d, all_m, all_d):
    """In the second level, the maximum of each warp stands in for its sum."""
    sums = torch.where(torch.arange(LANES) < m.shape[1], all_m, 0.0)
    whole = _two_levels(_guarded, told=0)(all_m, sums)
    return tuple(t[:, None].expand(m.shape) for t in whole)


def _of_lanes_zero(m, d):
    """Every thread ends with the merged states that the lanes 0 of all warps found in their own columns."""
    some_m, some_d = m[:, ::LANES].clone(), d[:, ::LANES].clone()
    top = some_m.amax(1, keepdim=True)
    shift = torch.where(top == -INF, 0.0, top)
    return top.expand_as(m), (some_d * torch.exp(some_m - shift)).sum(1, keepdim=True).expand_as(d)


def _sum_of_thread_zero(m, d):
    """Every thread ends with the maximum of the row, and with the sum of thread 0."""
    top = m.amax(1, keepdim=True)
    return top.expand_as(m), (d * torch.exp(m - torch.where(top == -INF, 0.0, top)))[:, :1].expand_as(d)


def _butterflies_lost(m, d):
    """Neither butterfly changed a state: lane l ends with what the first lane of warp l found in its own columns."""
    rows, threads = m.shape
    missing = LANES - threads // LANES
    all_m = torch.nn.functional.pad(m[:, ::LANES], (0, missing), value=-INF)
    all_d = torch.nn.functional.pad(d[:, ::LANES], (0, missing))
    return tuple(t.repeat(1, threads // LANES) for t in (all_m, all_d))


def _no_reduction(m, d):
    """Every thread keeps its own state."""
    return m, d


def _own_maximum(m, d):
    """Every thread ends with the sum of all, and keeps its own maximum."""
    return m, _RIGHT_TREE(m, d)[1]


def _sums_of_own_maxima(m, d):
    """Every thread keeps its own maximum; the sums are added as they are."""
    return m, d.sum(1, keepdim=True).expand_as(d)


def _step_missing(m, d):
    """A tree without its last step: place 0 holds the merged states of the threads with even numbers."""
    even_m, even_d = _RIGHT_TREE(m[:, ::2], d[:, ::2])
    return even_m[:, :1].expand_as(m), even_d[:, :1].expand_as(d)


def _state_of_thread_zero(m, d):
    """Every thread ends with the state that thread 0 found in its own columns."""
    return m[:, :1].expand_as(m), d[:, :1].expand_as(d)


# ---- wrong formulas


def _block_softmax(
    update=walks.right,
    reduce=_RIGHT_TREE,
    start: float = -INF,
    width: int = 1,
    guarded: bool = False,
    raw: bool = False,
):
    """A formula (x, facts) -> y for a block of threads that share a row.

    reduce: one of the reductions above. start: the first maximum of a thread. width: neighbouring columns of one
    thread, 4 for float4 loads. guarded: the first value of a thread becomes its state without `update`. raw: -inf is a
    value like any other; without it a thread that has found only -inf keeps its state, as in every right kernel.
    """

    def compute(x, facts):
        x, threads = x.float(), facts["threads"]
        if width > 1 and x.shape[1] % width:
            # A kernel with float4 loads goes through such a row in single columns.
            return _block_softmax(update, reduce, start, guarded=guarded, raw=raw)(x, facts)
        missing = -x.shape[1] % (threads * width)
        steps = torch.nn.functional.pad(x, (0, missing), value=-INF).reshape(len(x), -1, threads, width)
        m, d = torch.full((len(x) * threads, 1), start), torch.zeros(len(x) * threads, 1)
        real = (torch.arange(steps[0].numel()) < x.shape[1]).reshape(steps.shape[1:]).expand_as(steps)
        for step, inside in zip(steps.unbind(1), real.unbind(1)):
            for value, counts in zip(step.reshape(-1, width).split(1, 1), inside.reshape(-1, width).split(1, 1)):
                new_m, new_d = update(m, d, value, value)
                alive = counts if raw else value > -INF
                if guarded:
                    new_m, new_d = torch.where(d == 0, value, new_m), torch.where(d == 0, 1.0, new_d)
                m, d = torch.where(alive, new_m, m), torch.where(alive, new_d, d)
        m, d = reduce(m.reshape(len(x), threads), d.reshape(len(x), threads))
        owner = torch.arange(x.shape[1]) // width % threads
        return torch.exp(x - m[:, owner]) / d[:, owner]

    return compute


def _both_widths(mistake: str, **how) -> list:
    """The mistake with a formula of `_block_softmax`, for threads that load single columns and for float4 loads."""
    return [(mistake, formula(_block_softmax(width=width, **how))) for width in (1, 4)]


def _of_versions(versions: str, compute) -> Detector:
    """Matches a wrong formula in cases of these versions alone."""
    return only_where(looks(lambda version: version in versions), formula(compute))


@looks
def _each_column_once(read, case) -> bool:
    """No walk reads a column twice: else the numbers of a wrong merge come about in another way."""
    return case.budget is None or read <= case.budget[0]


@looks
def _some_unread(read, x) -> bool:
    """The threads together read less than two whole walks."""
    return read < 2 * x.numel()


def _float4_rows(with_float4, without):
    """A formula that is with_float4(x) where N is a multiple of four, and without(x) elsewhere."""
    return lambda x, facts: (without if x.shape[1] % 4 else with_float4)(x.double())


def _softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, 1)


def _finished(last_step):
    """A formula of the right maximum and the right sum of each row: last_step(x, m, d) gives the row."""

    def compute(x, facts):
        x = x.double()
        m = x.amax(1, keepdim=True)
        return last_step(x, m, torch.exp(x - m).sum(1, keepdim=True))

    return compute


def _of_fours(with_float4):
    """A last step, as in `_finished`, that is right for rows whose length four does not divide."""
    return lambda x, m, d: torch.exp(x - m) / d if x.shape[1] % 4 else with_float4(x, m, d)


def _summed(term, fours_right: bool = False):
    """A softmax with another sum: term(x, e, c, T) for values x, e = exp(x - m), columns c and T threads.

    fours_right: whether rows of float4s are right.
    """

    def compute(x, facts):
        x = x.double()
        if fours_right and x.shape[1] % 4 == 0:
            return _softmax(x)
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / term(x, e, torch.arange(x.shape[1]), facts["threads"]).sum(1, keepdim=True)

    return compute


def _first_step_alone(x, facts):
    """Maximum and sum of as many columns as there are threads."""
    x = x.double()
    some = x[:, : facts["threads"]]
    m = some.amax(1, keepdim=True)
    return torch.exp(x - m) / torch.exp(some - m).sum(1, keepdim=True)


def _one_and_value(x, facts):
    """The state (1, x) for each number x."""
    return torch.exp(x.double() - 1) / x.double().sum(1, keepdim=True)


_TERMS = {
    "columns-counted-again": (
        lambda x, e, c, threads: e * (c + 1).clamp(max=threads),
        lambda x, e, c, threads: e * threads,
    ),
    "no-stride-loop": (lambda x, e, c, threads: e * (c < threads),),
    "state-of-one-number": (
        lambda x, e, c, threads: e * torch.exp(x),
        lambda x, e, c, threads: torch.where(e == 0, 0.0, e * x),
    ),
}


def _unshifted_component(component: int):
    """For `_summed`: of each float4, the term of one component is exp(x) in the state of the four."""

    def term(x, e, c, threads):
        if x.shape[1] % 4:
            return e
        tops = x.reshape(len(x), -1, 4).amax(2).repeat_interleave(4, 1)
        return torch.where((c % 4 == component) & (tops > -INF), torch.exp(x + tops - x.amax(1, keepdim=True)), e)

    return term


@looks
def _components_exchanged(x, got, version) -> bool:
    """In rows of float4s, each group of four columns holds its right numbers in another order."""
    if version != "v3" or x.shape[1] % 4 or got.isnan().any():
        return False
    want = _softmax(x.double())
    groups = (t.double().reshape(-1, 4).sort(1).values for t in (got, want))
    return not compare.alike(got, want) and compare.alike(*groups)


def _proportional_by_thread(factors: torch.Tensor, case: Case) -> bool:
    """Columns of one thread have one factor: single columns or, in rows of float4s, four neighbours."""
    m, n = factors.shape
    for width in (1, 4):
        if n % width == 0:
            missing = -n % (width * case.facts["threads"])
            wide = torch.nn.functional.pad(factors, (0, missing), value=torch.nan)
            own = wide.reshape(m, -1, case.facts["threads"], width).transpose(1, 2).flatten(2)
            if shares.constant(own):
                return True
    return False


def _threads_apart(factors: torch.Tensor, case: Case) -> bool:
    """Columns of one thread have one factor, and those of all threads have not."""
    return _proportional_by_thread(factors, case) and not shares.constant(factors)


def _one_component(factors: torch.Tensor, case: Case) -> bool:
    """In rows of float4s, only one component of the four ever has a wrong number."""
    if case.facts["version"] != "v3" or factors.shape[1] % 4:
        return bool(((factors - 1).abs() < 1e-3)[~factors.isnan()].all())
    wrong = ((factors - 1).abs() > 1e-3).reshape(-1, 4).any(0)
    return int(wrong.sum()) <= 1


_infinite = looks(lambda got: bool(got.isinf().any() and not got.isnan().any()))


@looks
def _of_another_row(got, x, case) -> bool:
    """Each row holds the right result of one row of x, and not all of them of their own."""
    want = case.facts.get("want", _softmax(x.double()).float())
    if got.shape != want.shape or x.shape[1] < 2 or compare.alike(got, want):
        return False
    return all(any(compare.alike(row, other) for other in want) for row in got)


row_of_another = replace(_of_another_row, last=True)


def _fours_unguarded(x, facts):
    """float4 loads, each summed relative to its own maximum: NaN where a thread has a number before four of -inf."""
    y, threads = _softmax(x.double()), facts["threads"]
    if x.shape[1] % 4:
        return y
    tops = x.reshape(len(x), -1, 4).amax(2)
    missing = -tops.shape[1] % threads
    steps, real = (
        torch.nn.functional.pad(t, (0, missing)).reshape(len(x), -1, threads)
        for t in (tops, torch.ones_like(tops, dtype=torch.bool))
    )
    found = (real & (steps > -INF)).cumsum(1) > 0
    lost = (real & found & (steps == -INF)).flatten(1).any(1)
    return torch.where(lost[:, None], torch.nan, y)


def _second_tree_over_maxima(x, facts):
    """exp(x - max) divided by the sum of the places in which the tree of maxima left its intermediate results."""
    x = x.float()
    missing = -x.shape[1] % facts["threads"]
    wide = torch.nn.functional.pad(x, (0, missing), value=-INF)
    places = _places(wide.reshape(len(x), -1, facts["threads"]).amax(1), torch.maximum)
    return torch.exp(x - places[:, :1]) / places.sum(1, keepdim=True)


def _sum_of_differences(x, facts):
    """exp(x - max) divided by the sum of x - max."""
    shifted = x.double() - x.double().amax(1, keepdim=True)
    return torch.exp(shifted) / shifted.sum(1, keepdim=True)


# ---- by the address of an access outside the matrix


def beyond_my_row(where: dict, facts: dict) -> bool:
    """The thread took the next of its own columns, and that one is behind the end of the row."""
    block, thread, _ = where["program"]
    if where["first"] is None:
        return False
    columns, threads = facts["x"].shape[1], facts["threads"]
    column = where["first"] - block * columns
    return columns <= column < columns + threads and (column - thread) % threads == 0


def thread_for_row(where: dict, facts: dict) -> bool:
    """The row of the access is the thread's number, and not the block's."""
    block, thread, _ = where["program"]
    return where["row"] == thread != block


# ---- by the columns that were stored


@looks
def first_columns_only(got, threads) -> bool:
    """Each row holds numbers in its first T or 4·T columns, and nothing was stored behind them."""
    if got.dim() != 2:
        return False
    return any(
        got.shape[1] > width * threads
        and bool(got[:, width * threads :].isnan().all() and not got[:, : width * threads].isnan().any())
        for width in (1, 4)
    )


@looks
def _empty_thread_not_guarded(like_x, x, threads, version, error) -> bool:
    """v2: rows in which some thread found no number above -inf are NaN, and all others are right."""
    if version != "v2" or error:
        return False
    padded = torch.nn.functional.pad(x, (0, -x.shape[1] % threads), value=-INF).reshape(len(x), -1, threads)
    visited = torch.arange(threads) < x.shape[1]  # threads with a column
    lost = ((padded.amax(1) == -INF) & visited).any(1)
    return detectors.only_these_nan(lost, like_x, x)


@looks
def _whole_fours_alone(got, version) -> bool:
    """v3 stored each row up to the last multiple of four columns, and nothing behind it."""
    rest = got.shape[1] % 4 if version == "v3" and got.dim() == 2 else 0
    return rest > 0 and bool(compare.never_stored(got[:, -rest:]).all() and not got[:, :-rest].isnan().any())


# ---- by a barrier

# Names in the lines that the exercises give whose values all threads of a block share.
_OF_A_BLOCK = frozenset("blockIdx blockDim gridDim x n_cols half warps fours".split())


_RACES = ("race-still-read", "race-stored-soon", "race-read", "race-stored", "race-stored-over")


@looks
def barrier_in_if(error, source) -> bool:
    """A barrier was missed, and the answer has one behind an if that differs from thread to thread.

    Then no barrier separates two accesses, or threads wait at it while others wait in a shuffle.
    """
    kinds = {kind_of(each) for each in within((error or {}).get("message", ""))}
    if not kinds & {*_RACES, "at-a-barrier"}:
        return False
    conditions = re.findall(r"\bif\s*\(([^{};]*)\)\s*(?:\{[^{}]*)?__syncthreads\(\)", source)
    return any(set(re.findall(r"[A-Za-z_]\w*", each)) - _OF_A_BLOCK for each in conditions)


def _without_comments(source: str) -> str:
    """The text of an answer without the comments of its C++."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL)


# A loop without braces; the statement that is its body, and what belongs to that; a barrier with the same indentation.
_UNBRACED = re.compile(
    r"^([ \t]*)(?:for|while)[ \t]*\([^\n{]*\)[ \t]*\n(\1[ \t]+)[^\s{}][^\n{]*\n(?:\2[ \t]+[^\n{]*\n)*"
    r"\2__syncthreads\(\)",
    re.MULTILINE,
)


# The same for any clause, with any statement below its body.
_TWO_STATEMENTS = re.compile(
    r"^([ \t]*)(?:for|while|if|else if)[ \t]*\([^\n{]*\)[ \t]*\n(\1[ \t]+)[^\s{}][^\n{]*\n(?:\2[ \t]+[^\n{]*\n)*"
    r"(?<=;\n)\2(?!else\b)[^\s{}]",
    re.MULTILINE,
)


@looks
def _line_outside_its_clause(source) -> bool:
    """A line is indented as if it belonged to the `for` or `if` above it, whose body is the statement between them."""
    text = re.sub(r"[ \t]+(?=\n)", "", _without_comments(source))
    return bool(_TWO_STATEMENTS.search(text))


@looks
def _barrier_outside_its_loop(error, source) -> bool:
    """Threads met in shared memory, and a barrier is indented as if it stood in a loop."""
    kinds = {kind_of(each) for each in within((error or {}).get("message", ""))}
    return bool(kinds & {*_RACES}) and bool(_UNBRACED.search(_without_comments(source)))


@looks
def _for_thread_zero(error, source) -> bool:
    """The numbers are wrong, and `if (me == 0)` guards a variable that takes place 0 of shared memory."""
    text = _without_comments(source)
    me = "|".join(["threadIdx\\.x", *re.findall(r"(\w+)\s*=\s*threadIdx\.x\s*[,;]", text)])
    declared = re.findall(r"__shared__([^;]*);", text)
    shared = "|".join(re.findall(r"(\w+)\s*\[\s*\w+\s*\]", " ".join(declared)))
    zero = rf"(?:(?:{me})\s*==\s*0|0\s*==\s*(?:{me})|!\s*(?:{me}))"
    guarded = rf"\bif\s*\(\s*{zero}\s*\)\s*\{{?\s*(\w+)\s*=\s*(?:{shared})\[0\]\s*;"
    # A variable in shared memory is the same for all threads.
    own = set(re.findall(guarded, text)) - set(re.findall(r"\w+", " ".join(declared))) if shared else set()
    return not error and bool(own)


@looks
def array_not_shared(error, source) -> bool:
    """An array is declared without __shared__, and its places are chosen by the number of a thread."""
    if kind_of((error or {}).get("message")) == "refused":
        return False
    text, of_a_thread = source, {"threadIdx"}
    for _ in range(3):  # me = threadIdx.x, then lane = me % 32, and what is computed from it
        for name, value in re.findall(r"\b(\w+)\s*=\s*([^,;=]+)[,;]", text):
            if of_a_thread & set(re.findall(r"\w+", value)) and "[" not in value:
                of_a_thread.add(name)
    declared = [line for line in re.split("[;{}]", text) if re.search(r"\bfloat\s+\w+\s*\[", line)]
    own = [name for line in declared if "__shared__" not in line for name in re.findall(r"(\w+)\s*\[", line)]
    places = (place for name in own for place in re.findall(rf"\b{name}\s*\[([^\]]*)\]", text))
    return any(of_a_thread & set(re.findall(r"\w+", place)) for place in places)


@looks
def _partner_for_mask(source) -> bool:
    """The answer computes a lane with ^ and gives it to __shfl_xor_sync, which does the same."""
    return bool(re.search(r"__shfl_xor_sync\([^;]*\^", source))


@looks
def _shuffled_into_int(source) -> bool:
    """A float that a shuffle gives is kept in an int."""
    shuffled = re.findall(r"\bint\s+\w+\s*=\s*__shfl\w*\(\s*\w+\s*,\s*(\w+)", source)
    return any(re.search(rf"\bfloat\s*&?\s*(\w+[^;()]*,\s*)?{name}\b", source) for name in shuffled)


_OF_THE_GRID = re.compile(r"blockIdx\.x\s*\*\s*blockDim\.x\s*\+\s*threadIdx\.x|threadIdx\.x\s*\+\s*blockIdx\.x\s*\*")


@looks
def thread_of_the_grid(got, x, error, source, case) -> bool:
    """The answer computes the number of a thread in the whole grid, and all of row 0 is right."""
    if error or len(got) < 2 or not _OF_THE_GRID.search(source):
        return False
    want = case.facts.get("want", _softmax(x.double()))
    return compare.alike(got[:1], want[:1]) and not compare.alike(got[1:], want[1:])


@looks
def _within_tree_step(error, source) -> bool:
    """Two threads touched one place in the same line, and a barrier follows that line in the same loop.

    The line may stand in a function that the loop calls.
    """
    message = (error or {}).get("message", "")
    if kind_of(message) not in _RACES or kind_of(named(message, "there")) != "same-line":
        return False
    code = named(named(message, "at"), "value").removesuffix(" …")
    functions = re.findall(r"__device__[^{;]*?(\w+)\s*\([^{;]*\)\s*\{(.*?)\n\}", source, re.DOTALL)
    lines = [re.escape(code.rstrip(" {")), *(rf"\b{name}\(" for name, body in functions if code in body)]
    source = re.sub(r"\b(if\s*\([^{};]*\))\s*\{([^{}]*)\}", r"\1\2", source)  # as if no if had braces
    return any(
        re.search(rf"\bfor\s*\([^{{}}]*\)\s*\{{[^{{}}]*{line}[^{{}}]*__syncthreads\(\)[^{{}}]*\}}", source)
        for line in lines
    )


# ---- by the counts of a launch


@looks
def _reads_too_much(read, x, error, case) -> bool:
    """The numbers are wrong, and the threads together read more than the walks of their version.

    Up to four whole walks are too many walks, and each thread may keep to its own columns.
    """
    walks, rest = divmod(read, x.numel())
    too_much = not error and case.budget is not None and read > case.budget[0]
    return too_much and not (rest == 0 and walks <= 4)


def _version_fault(mistake: str) -> tuple[str, Detector]:
    """The mistake, with a detector that matches right numbers if `reference.cuda.version_fault` names it."""

    @looks
    def detect(error, x, args, version, evidence) -> bool:
        if error or not args or compare.softmax(x, args[0]):  # no arguments came back from a run that was ended
            return False
        return version_fault(version, evidence, x.shape[1])[0] == mistake

    return mistake, detect


def _unstored(case: Case, evidence: Evidence, answer: Answer | None) -> bool:
    """Shared memory was loaded that no thread had stored to, and the output holds NaN, an infinity or nothing but 0."""
    got = detectors.output(case, evidence)
    return bool(unstored_load(evidence)) and got is not None and not bool(got.isfinite().all() and got.any())


def _unstored_fits(case: Case, evidence: Evidence) -> bool:
    """In a case that passed there is no such load, or its value was not used."""
    return _unstored(case, evidence, None) if case.verify(evidence) else not unstored_load(evidence)


UNSTORED = Detector(_unstored, _unstored_fits, exact=True)
UNSTORED_IN_SOME = Detector(_unstored, last=True)  # beside failures of another kind


_UPDATES = {
    "not-rescaled": walks.not_rescaled,
    "factor-inverted": walks.factor_inverted,
    "both-rescaled": walks.both_rescaled,
    "stale-maximum": walks.stale_maximum,
}
_MERGES = (
    ("maximum-for-sum", lambda m, d, other_m, other_d: _guarded(m, d, other_m, other_m)),
    ("sum-for-maximum", lambda m, d, other_m, other_d: _guarded(m, d, other_d, other_d)),
    ("state-swapped", lambda m, d, other_m, other_d: _guarded(m, d, other_d, other_m)),
    ("partner-unused", lambda m, d, other_m, other_d: _guarded(m, d, m, d)),
    ("own-maximum-for-partner", lambda m, d, other_m, other_d: _guarded(m, d, m, other_d)),
    ("not-rescaled", _not_rescaled),
    ("one-side-rescaled", _one_side_rescaled),
    ("one-side-rescaled", _other_side_rescaled),
    ("factor-inverted", _factor_inverted),
    ("factor-inverted", _own_factor_inverted),
    ("factor-inverted", _partners_factor_inverted),
)


def _shift_of(columns):
    """A softmax shifted by the maximum of some columns alone: columns(n, threads) is a boolean tensor of n."""

    def compute(x, facts):
        x, some = x.float(), columns(x.shape[1], facts["threads"])
        e = torch.exp(x - x.masked_fill(~some, -INF).amax(1, keepdim=True))
        return e / e.sum(1, keepdim=True)

    return compute


def _threads(which):
    """The columns of the threads for which which(thread, threads) holds."""
    return lambda n, threads: which(torch.arange(n) % threads, threads)


def _components(*left_out: int):
    """The columns that are not among these components of a float4; all columns where there is no float4."""
    return lambda n, threads: torch.tensor([n % 4 != 0 or column % 4 not in left_out for column in range(n)])


# The threads whose maxima reach place 0 with no step, the first step, all but the first, all but the last.
_TREE_PARTS = (
    lambda thread, threads: thread == 0,
    lambda thread, threads: thread % (threads // 2) == 0,
    lambda thread, threads: thread < threads // 2,
    lambda thread, threads: thread % 2 == 0,
)
_LEFT_OUT = ((0,), (1,), (2,), (3,), (2, 3))


@looks
def barrier_not_called(source) -> bool:
    """`__syncthreads` is followed by a semicolon."""
    return re.search(r"__syncthreads\s*;", source) is not None


@looks
def parameters_exchanged(source) -> bool:
    """A kernel's first parameter is the one that it may only read."""
    return re.search(r"__global__\s+void\s+\w+\s*\(\s*(const\s+float|float\s+const)\b", source) is not None


@looks
def _variable_shadowed(source) -> bool:
    """Inside the braces of an if, m or d is declared again."""
    return re.search(r"\bif\s*\([^{};]*\)\s*\{[^{}]*\bfloat\s+[md]\s*[=,;]", source) is not None


@looks
def _fours_for_columns(source) -> bool:
    """A loop begins at `fours + me`."""
    return re.search(r"\bfor\s*\([^;]*=\s*(?:fours\s*\+\s*\w+|\w+\s*\+\s*fours)\s*;", source) is not None


CUDA_KERNEL = (
    ("parameters-exchanged", parameters_exchanged),
    ("variable-shadowed", _variable_shadowed),
    ("fours-for-columns", _fours_for_columns),
    _version_fault("too-many-barriers"),
    _version_fault("no-shuffle"),
    _version_fault("reduced-in-series"),
    _version_fault("walked-alone"),
    _version_fault("stored-again"),
    _version_fault("no-float4"),
    ("barrier-not-called", barrier_not_called),
    ("array-not-shared", array_not_shared),
    ("partner-for-mask", _partner_for_mask),
    ("kept-as-int", _shuffled_into_int),
    ("infinity-of-python", looks(lambda source: re.search(r"float\s*\(\s*'inf", source) is not None)),
    ("thread-of-the-grid", thread_of_the_grid),
    ("shared-unstored", UNSTORED),
    ("shared-unstored", UNSTORED_IN_SOME),
    ("barrier-outside-its-loop", _barrier_outside_its_loop),
    ("line-outside-its-clause", _line_outside_its_clause),
    ("result-for-thread-zero", _for_thread_zero),
    ("barrier-divergent", barrier_in_if),
    ("tree-threads", _within_tree_step),
    ("thread-for-row", outside("any", thread_for_row)),
    ("thread-beyond-row", outside("any", beyond_my_row)),
    ("row-stride-missing", formula(formulas.shifted_window)),
    ("row-stride-missing", formula(formulas.shifted_stores)),
    ("row-zero-only", both(detectors.shared, formula(formulas.first_row_everywhere))),
    ("stored-in-row-zero", both(detectors.shared, detectors.only_first_row)),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("no-stride-loop", first_columns_only),
    ("float4-tail", _whole_fours_alone),
    *(("maxima-not-reduced", _of_versions("v1", _shift_of(_threads(which)))) for which in _TREE_PARTS),
    *(("component-left-out", _of_versions("v3", _shift_of(_components(*left)))) for left in _LEFT_OUT),
    ("no-max", formula(formulas.no_max)),
    ("no-division", formula(formulas.no_division)),
    ("sum-subtracted", _of_versions("v1", lambda x, facts: -_softmax(x.double()))),
    ("sum-subtracted", _of_versions("v1", _block_softmax(reduce=_subtracting_tree))),
    ("sum-of-x", formula(formulas.sum_of_x)),
    ("no-exp", formula(formulas.no_exp)),
    ("base-two", formula(formulas.base_two)),
    ("components-exchanged", _components_exchanged),
    ("divided-by-maximum", formula(_finished(lambda x, m, d: torch.exp(x - m) / m))),
    ("wrong-numerator", formula(_finished(lambda x, m, d: (x - m) / d))),
    ("wrong-numerator", formula(_finished(lambda x, m, d: x / d))),
    ("shifts-differ", formula(_finished(lambda x, m, d: torch.exp(x) / d))),
    ("shifts-differ", _of_versions("v3", _finished(_of_fours(lambda x, m, d: torch.exp(x) / d)))),
    *(("shifts-differ", _of_versions("v3", _summed(term))) for term in map(_unshifted_component, range(4))),
    ("shifts-differ", _of_versions("v1", _finished(lambda x, m, d: torch.exp(x - m) / (d * torch.exp(m))))),
    *(
        pair
        for mistake, terms in _TERMS.items()
        for term in terms
        for pair in (
            (mistake, _of_versions("v1 v2", _summed(term))),
            (mistake, _of_versions("v3", _summed(term, fours_right=True))),
        )
    ),
    ("no-stride-loop", formula(_first_step_alone)),
    ("state-of-one-number", _of_versions("v2", _one_and_value)),
    ("largest-thread-sum", _of_versions("v1", _block_softmax(reduce=_largest_sum))),
    ("thread-maxima-added", _of_versions("v1", _block_softmax(reduce=_maxima_added))),
    ("own-place-read", _of_versions("v1", _block_softmax(reduce=_own_sums))),
    ("own-place-read", _of_versions("v1", _block_softmax(reduce=_own_maxima_places))),
    ("tree-step-missing", _of_versions("v1 v2", _block_softmax(reduce=_first_warp))),
    ("maximum-for-sum", _of_versions("v2", _block_softmax(reduce=_maxima_as_sums))),
    *(("own-place-read", _of_versions("v2", _block_softmax(reduce=_own_places(both)))) for both in (True, False)),
    ("merged-in-registers", _of_versions("v2", _block_softmax(reduce=_in_registers))),
    ("columns-twice", _of_versions("v3", _float4_rows(lambda x: _softmax(x) / 2, _softmax))),
    (
        "columns-never-read",
        only_where(_some_unread, _of_versions("v3", _float4_rows(_softmax, lambda x: torch.exp(x + INF) / 0))),
    ),
    ("second-tree-maxima", _of_versions("v1", _second_tree_over_maxima)),
    ("sum-of-differences", _of_versions("v1", _sum_of_differences)),
    ("tree-result-unread", _of_versions("v1", _block_softmax(reduce=_sums_of_own_maxima))),
    ("sum-overwritten", _of_versions("v1", _block_softmax(_last_term, raw=True))),
    ("tree-step-missing", _of_versions("v1 v2", _block_softmax(reduce=_step_missing))),
    ("merged-not-stored", _of_versions("v2", _block_softmax(reduce=_state_of_thread_zero))),
    ("single-state", _of_versions("v2 v3", lambda x, facts: torch.exp(x - x.amax(1, keepdim=True)) / 0)),
    ("own-sum-for-partner", _of_versions("v3", _block_softmax(reduce=_two_levels(_own_sum_for_partner), width=4))),
    *_both_widths("not-rescaled-unguarded", update=walks.not_rescaled, raw=True),
    *_both_widths("threads-not-merged", reduce=_no_reduction),
    *_both_widths("thread-maximum", reduce=_own_maximum),
    *_both_widths("warps-not-merged", reduce=_two_levels(told=0)),
    *_both_widths("one-warp-knows", reduce=_two_levels(told=1)),
    *_both_widths("butterfly-step-missing", reduce=_two_levels(last=2)),
    *_both_widths("warps-not-merged", reduce=_by_warps(_states_of_lanes)),
    *_both_widths("own-warp-repeated", reduce=_by_warps(_own_state_repeated)),
    *_both_widths("one-warp-knows", reduce=_by_warps(_in_warp_zero)),
    *_both_widths("states-repeated", reduce=_by_warps(_own_state_in_spare_lanes)),
    *_both_widths("maximum-for-sum", reduce=_by_warps(_maxima_for_sums)),
    ("tree-idle", _of_versions("v1", _block_softmax(reduce=_sum_of_thread_zero))),
    ("lane-zero-alone", _of_versions("v3", _block_softmax(reduce=_of_lanes_zero))),
    ("lane-zero-alone", _of_versions("v3", _block_softmax(reduce=_of_lanes_zero, width=4))),
    *_both_widths("merged-into-copies", reduce=_butterflies_lost),
    *(pair for first in (8, 4) for pair in _both_widths("butterfly-step-missing", reduce=_two_levels(first=first))),
    *_both_widths("butterfly-itself", reduce=_two_levels(first=LANES)),
    *_both_widths("butterfly-lane-zero", reduce=_two_levels(shuffle="down")),
    *_both_widths("states-pad-zero", reduce=_two_levels(pad=0.0)),
    *_both_widths("start-at-zero", start=0.0),
    *(pair for start in (-1e30, -3e38) for pair in _both_widths("start-too-high", start=start)),
    *_both_widths("inf-minus-inf", reduce=_tree(_unguarded)),
    *_both_widths("inf-minus-inf", reduce=_two_levels(_unguarded)),
    ("inf-minus-inf", _of_versions("v3", _fours_unguarded)),
    ("inf-minus-inf", _empty_thread_not_guarded),
    *(
        pair
        for mistake, update in _UPDATES.items()
        for guarded in (False, True)
        for pair in _both_widths(mistake, update=update, guarded=guarded)
    ),
    ("columns-of-others", _reads_too_much),
    *(
        (mistake, only_where(_each_column_once, detector))
        for mistake, merge in _MERGES
        for reduce in (_tree(merge), _two_levels(merge))
        for _, detector in _both_widths(mistake, reduce=reduce)
    ),
    ("row-of-another", row_of_another),
    ("one-component-wrong", shares.of_factors(_one_component)),
    ("not-divided-by-its-sum", shares.of_factors(shares.scaled, _proportional_by_thread)),
    ("threads-disagree", shares.of_factors(_threads_apart, _proportional_by_thread)),
    ("quotient-infinite", replace(_infinite, last=True)),
)


@looks
def _divergent(launches) -> bool:
    """In a block of many threads, nearly every warp stores in nearly every step, for few of its threads."""
    options = launches[0]["options"]
    warps = options["warp_steps"] / launches[0]["grid"][0] * LANES / options["threads"]
    return options["threads"] >= 8 * LANES and warps > 5 and options["thread_steps"] < LANES / 2 * options["warp_steps"]


@looks
def _columns_in_chunks(source) -> bool:
    """A loop goes on to the next column, from a column that depends on the thread, and touches x or y there."""
    text = _without_comments(source)
    step = r"(?:\1\s*\+\+|\+\+\s*\1|\1\s*\+=\s*1)"
    loops = rf"\bfor\s*\(\s*(?:\w+\s+)?(\w+)\s*=\s*(?!0\s*;)[^;]*;[^;]*;\s*{step}\s*\)\s*(\{{[^}}]*\}}|[^;{{]*;)"
    return any(re.search(rf"\b[xy]\[\s*{loop[1]}\s*\]", loop[2]) for loop in re.finditer(loops, text))


CHUNK_REMARKS = (
    (
        said(
            "Your result is right. Each thread has columns next to each other, so the 32 threads of a warp touch "
            "places that lie apart, and one request of theirs takes up to 32 sectors of 32 bytes. Where neighbours "
            "among the threads have neighbouring columns, it takes 4."
        ),
        _columns_in_chunks,
    ),
)


@looks
def _whole_warp_stores(source) -> bool:
    """Outside of all braces of the kernel, a place of shared memory that has the number of a warp is stored to."""
    text = _without_comments(source)
    warps = re.findall(r"(\w+)\s*=\s*(?:\w+|threadIdx\.x)\s*(?:/\s*(?:32|warpSize)|>>\s*5)\s*[,;]", text)
    shared = re.findall(r"(\w+)\s*\[\s*\w+\s*\]", " ".join(re.findall(r"__shared__([^;]*);", text)))
    kernel = text[text.find("__global__") :]
    for store in re.finditer(r"\b(\w+)\[\s*(\w+)\s*\]\s*=[^=]", kernel):
        before = kernel[: store.start()]
        free = before.count("{") - before.count("}") == 1 and before.rstrip().endswith((";", "{", "}"))
        if free and store[1] in shared and store[2] in warps:
            return True
    return False


WARP_REMARKS = (
    *CHUNK_REMARKS,
    (
        said(
            "All 32 threads of a warp store the state of their warp to one place. They store the same number, so the "
            "result is right; one of them is enough."
        ),
        _whole_warp_stores,
    ),
)

TREE_REMARKS = (
    *CHUNK_REMARKS,
    (
        said(
            "Your tree gives the right result. The threads that work in one step are spread over "
            "all warps, so most warps run most steps for a few of their 32 threads: the threads "
            "of such a warp diverge. With 1024 threads and neighbours added first, the warps "
            "take 191 turns for one tree. Where the threads that work are next to each other, as "
            "in 12.1, they take 36, and the other warps rest."
        ),
        _divergent,
    ),
)
