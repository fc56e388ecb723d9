"""The CUDA kernels of lesson 12: verification of their numbers and of the method that each softmax is about.

Version v1 reduces with trees of maxima and sums, v2 with a tree of states, v3 with warp shuffles and float4 accesses.
"""

from __future__ import annotations

import torch

from ..checks import compare
from ..sentence import fault, said
from ..spec import Evidence
from . import softmax_function
from .reductions import LANES

_MAX_BARRIERS = 6  # of a block of v3; a tree of 256 threads needs more
_FLOAT4 = 4  # elements in the widest access
_BUTTERFLY = 5  # steps of a warp's butterfly
_MOST_ATOMICS = 3  # of a thread to one number: two of a loop with atomicCAS, and one that sets it at first
_LEVELS = 2  # warps, and what the warps found
_MOST_SHARES = 16  # even shares of the columns that one thread may read, in all passes


def merge_states(m: torch.Tensor, d: torch.Tensor, other_m: torch.Tensor, other_d: torch.Tensor):
    """The states (m, d) and (other_m, other_d) merged, elementwise; two empty states (-inf, 0) stay empty.

    Both sums are made relative to the larger maximum (Milakov and Gimelshein, 2018).
    """
    top = torch.maximum(m, other_m)
    shift = torch.where(top == -torch.inf, 0.0, top)
    return top, d * torch.exp(m - shift) + other_d * torch.exp(other_m - shift)


def numbers_fault(x: torch.Tensor, evidence: Evidence) -> str | None:
    """None if the output is the softmax of x (M×N), else a sentence.

    The sentence also names the first load of shared memory that no thread had stored to.
    """
    return _with_load(softmax_function.stored(x, evidence.args[0]), evidence)


def stored_fault(want: torch.Tensor, slack: torch.Tensor | float, evidence: Evidence) -> str | None:
    """None if the output is `want` (M×N), each number off by at most `slack`, stored once; else a sentence.

    Each block has to store, and a thread may read some more columns than its share, and not a row.
    """
    sentence = _with_load(compare.tensor(evidence.args[0].double(), want, 0.0, slack), evidence)
    again = evidence.launches[0]["options"]["stored_again"]
    if not sentence and again:
        return fault("way", "right numbers, but {again} stores write an element again", again=again)
    if sentence or not evidence.launches:
        return sentence
    options, n = evidence.launches[0]["options"], want.shape[1]
    return softmax_function.idle_fault(evidence) or walked_alone(options, n)


def walked_alone(options: dict, n: int) -> str | None:
    """A sentence for a thread that reads far more of n columns than its share. options: the counts of the launch."""
    walked = options["most_read"] // 4
    if walked <= _MOST_SHARES * -(-n // options["threads"]):
        return None
    return fault("way", "right numbers, but of {n} columns a thread alone reads {walked} elements", n=n, walked=walked)


def _with_load(sentence: str | None, evidence: Evidence) -> str | None:
    options = evidence.launches[0]["options"] if evidence.launches else {}
    for more in (unstored_load(evidence), _of_reader(options), _of_clock(options)):
        sentence = said("{sentence}. {load}", sentence=sentence, load=more) if sentence and more else sentence
    return sentence


def _of_reader(options: dict) -> str:
    """A sentence about a text that another compiler reads as another one, "" if there is none."""
    if not options.get("reader"):
        return ""
    return said(
        "Its text is not the same for each compiler and each GPU: here __CUDA_ARCH__ was {value}",
        value=options["reader"],
    )


def _of_clock(options: dict) -> str:
    return said("It reads the clock of the GPU, which may begin anywhere") if options.get("clocks") else ""


def unstored_load(evidence: Evidence) -> str:
    """A sentence about the first load of shared memory that no thread had stored to, "" if there is none."""
    return evidence.launches[0]["options"]["unstored"] if evidence.launches else ""


def version_fault(version: str, evidence: Evidence, n: int) -> tuple[str, str] | tuple[None, None]:
    """(mistake, sentence) if a kernel with right numbers for rows of n columns lacks the method of its version."""
    launch = evidence.launches[0]
    options, v3, blocks = launch["options"], version == "v3", launch["grid"][0]
    barriers, threads = options["barriers"] // blocks, options["threads"]
    shares = -(-n // threads)  # columns of a thread, if all have as many
    if v3 and barriers > _MAX_BARRIERS:
        return "too-many-barriers", fault(
            "way", "right numbers, but each block meets at __syncthreads() {barriers} times", barriers=barriers
        )
    if v3 and n > LANES and not options["shuffles"]:
        return "no-shuffle", fault("way", "right numbers, but no lane ever gets a value from another one directly")
    shuffles, warps = options["shuffles"] / blocks, min(threads // LANES, max(1, n // (_FLOAT4 * LANES)))
    if v3 and n > LANES and shuffles < _BUTTERFLY * warps:
        return "no-shuffle", fault(
            "way",
            "right numbers, but the lanes of a block's warps get values from one another {shuffles} times, and the "
            "butterflies of {warps} warps have {steps} steps",
            shuffles=round(shuffles),
            warps=warps,
            steps=_BUTTERFLY * warps,
        )
    if series := _in_series(options, v3 and n > LANES, shares):
        return series
    if walked := walked_alone(options, n):
        return "walked-alone", walked
    if v3 and options["stored_again"] and not options["loaded_back"]:
        return "stored-again", fault(
            "way",
            "right numbers, but {stored_again} stores write an element again",
            stored_again=options["stored_again"],
        )
    if v3 and n % _FLOAT4 == 0 and launch["widest"] < _FLOAT4:
        return "no-float4", fault("way", "right numbers, but no access is wider than 4 bytes")
    if v3 and n % _FLOAT4 == 0 and 4 * options["narrow"] > launch["grid"][0] * n:
        return "no-float4", fault(
            "way", "right numbers, but {narrow} elements are never loaded as part of 16 bytes", narrow=options["narrow"]
        )
    return None, None


def _in_series(options: dict, lanes_shuffle: bool, shares: int) -> tuple[str, str] | None:
    """(mistake, sentence) if a reduction takes numbers one after another: from memory, by atomics or by shuffles.

    options: the counts of the launch. lanes_shuffle: whether shuffles have to do the first level, so that nothing is
    left in shared memory but the states of warps. shares: columns of a thread, rounded up.
    """
    warps, words, atomics = options["threads"] // LANES, options["most_loads"], options["most_atomics"]
    # What a thread may load if each of two levels takes up to 32 numbers, or states, one after the other; and some more
    # for each of its columns.
    many = words > 3 * (LANES + warps) + 4 * shares
    if many or lanes_shuffle and words > 3 * (warps + shares):
        return "reduced-in-series" if many else "no-shuffle", fault(
            "way", "right numbers, but a thread loads {words} numbers from shared memory", words=words
        )
    many = atomics > _MOST_ATOMICS * LANES
    if many or lanes_shuffle and atomics > _MOST_ATOMICS * warps:
        return "reduced-in-series" if many else "no-shuffle", fault(
            "way", "right numbers, but one number in shared memory serves {atomics} atomics of a block", atomics=atomics
        )
    # A butterfly for each of two numbers: at both levels, and wherever a thread has a column, where none is needed.
    shuffles = options["most_shuffles"]
    if shuffles > 2 * _BUTTERFLY * (_LEVELS + shares):
        return "reduced-in-series", fault(
            "way", "right numbers, but a warp passes values from lane to lane {shuffles} times", shuffles=shuffles
        )
    return None
