"""Attention of one head, softmax(scale · q kᵀ) v: right values, a bound for float32, and the verification of answers.

M queries, N keys: q is M×d, k is N×d, v is N×dv, all float32; scores and weights are M×N, the result is M×dv.

The facts of a case are those of `case_facts`. Exercise 13.1 adds `many` (whether the case limits the numbers that are
alive at once). Exercise 13.2 adds `block` (queries of one program), `strides` (row strides by pointer name, in
elements) and `reads` (elements that one launch may read).
"""

from __future__ import annotations

import numpy as np
import torch

from ..checks import compare
from ..sentence import fault, said
from ..spec import Evidence

_EPS = torch.finfo(torch.float32).eps
TF32 = 2.0**-10  # the relative error of an input that tensor cores take in tf32: they cut off all but 10 bits


def case_facts(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, tile: int, causal: bool, exact: bool = False
) -> dict:
    """The arguments by name, with `want`, `allowed`, `allowed_on_gpu` (float64, M×dv); tile: keys of one step.

    exact: whether all scores are exact in float32, and those of a query equal or so far apart that one of them has all
    the weight. Then the shift by the maximum gives 0 for that maximum. On a GPU it may be fused with the scaling by
    log2(e), and then it does not.
    """
    given = {"q": q, "k": k, "v": v, "scale": scale, "tile": tile, "causal": causal, "exact": exact}
    allowed = bound(given)
    return given | {"want": right(given), "allowed": allowed, "allowed_on_gpu": allowed + tf32_bound(given)}


# ---- values and errors


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b, computed by NumPy on a CPU.

    PyTorch wakes its threads even for products this small. That takes long while the cores are busy.
    """
    if a.is_cuda:
        return a @ b
    with np.errstate(all="ignore"):
        return torch.from_numpy(a.numpy() @ b.numpy())


def causal_mask(m: int, n: int, device: torch.device | str = "cpu") -> torch.Tensor:
    """The keys that causal masking hides, boolean of shape M×N: key j is hidden from query i where j > i."""
    return torch.arange(n, device=device) > torch.arange(m, device=device)[:, None]


def scores(facts: dict) -> torch.Tensor:
    """scale · q kᵀ in float64, M×N, with -inf for hidden keys."""
    s = facts["scale"] * matmul(facts["q"].double(), facts["k"].double().t())
    m, n = s.shape
    return s.masked_fill(causal_mask(m, n, s.device), -torch.inf) if facts["causal"] else s


def right(facts: dict) -> torch.Tensor:
    """softmax(scale · q kᵀ) v in float64, M×dv."""
    return matmul(torch.softmax(scores(facts), 1), facts["v"].double())


def bound(facts: dict) -> torch.Tensor:
    """The absolute error that careful float32 arithmetic may have, float64 of shape M×dv.

    A dot product of d terms has an error of at most d roundings of the sum of the terms' magnitudes. The absolute error
    of a score becomes the relative error of its weight. The sum of the weights has the weighted mean of these errors.
    The scaling by log2(e), the shift and the factors of the walk add a few roundings, each relative to a score or to
    the maximum. A sum over N keys adds one rounding a key. All errors are relative to the sum of weight · |v|, because
    the terms of an output may cancel. Where all scores of a query are equal, they have the same error, which
    cancels, and exact scores have none.
    """
    q, k, v = (facts[name].double() for name in "qkv")
    s = scores(facts)
    p = torch.softmax(s, 1)
    magnitude = facts["scale"] * matmul(q.abs(), k.abs().t())
    top = s.amax(1, keepdim=True)
    differ = ((s < top) & (s > -torch.inf)).any(1, keepdim=True)
    off = ((q.shape[1] + 12) * magnitude * differ + 4 * top.abs()) * (not facts["exact"])
    off = off + (p * off).sum(1, keepdim=True) + 16 + len(k)
    return _EPS * matmul(p * off, v.abs()) + 2 * torch.finfo(torch.float32).smallest_normal


def tf32_bound(facts: dict) -> torch.Tensor:
    """The absolute error that products of tf32 add to that of float32, float64 of shape M×dv.

    Triton's compiler may compute a sum of products on tensor cores, also where nothing in a kernel says so, and only a
    GPU shows it. A score has the error of its two inputs, relative to the magnitudes of its terms.
    """
    q, k, v = (facts[name].double() for name in "qkv")
    s = scores(facts)
    p = torch.softmax(s, 1)
    differ = ((s < s.amax(1, keepdim=True)) & (s > -torch.inf)).any(1, keepdim=True)
    off = torch.expm1((2 * TF32 * facts["scale"] * matmul(q.abs(), k.abs().t()) * differ).clamp(max=50))
    return matmul(p * (off + (p * off).sum(1, keepdim=True) + 2 * TF32), v.abs())


# ---- verification


def difference(got: torch.Tensor, want: torch.Tensor, allowed: torch.Tensor, of_keys: bool = False) -> str | None:
    """None where |got - want| <= allowed everywhere (all M×dv), else a sentence about the first wrong element.

    of_keys: whether a row is that of a key, and not of a query.
    """
    bad = ~((got.double() - want).abs() <= allowed)
    if not bad.any():
        return None
    query, column = (int(i) for i in bad.nonzero()[0])
    value, expected = got[query, column].item(), want[query, column].item()
    digits = 6 if abs(value - expected) < 0.01 * abs(expected) else 4
    count = said("{sum} of {numel} values differ", sum=int(bad.sum()), numel=bad.numel())
    values = {"column": column, "value": f"{value:.{digits}g}", "expected": f"{expected:.{digits}g}", "count": count}
    if of_keys:
        return said("key {key}, column {column} is {value}, expected {expected}; {count}", key=query, **values)
    return said("query {query}, column {column} is {value}, expected {expected}; {count}", query=query, **values)


def numbers_fault(got: torch.Tensor, facts: dict, bound: str = "allowed") -> str | None:
    """None where got (M×dv) has the right numbers, else a sentence about the first wrong element.

    bound: the fact that bounds the error.

    An answer may keep the logarithm of l, added to the maximum. Beside exact scores, which are large, float32 has no
    digit left for that logarithm, and l counts as 1.
    """
    want, allowed = facts["want"], facts[bound]
    sentence = difference(got, want, allowed)
    if sentence and facts["exact"]:
        seen = (scores(facts) > -torch.inf).sum(1, keepdim=True)
        sentence = difference(got, want * seen, allowed * seen) and sentence
    return sentence


def correct(got, facts: dict) -> bool:
    """Whether got is a tensor with the right numbers; traffic and memory are not considered."""
    fits = isinstance(got, torch.Tensor) and got.shape == facts["want"].shape
    return fits and numbers_fault(got, facts) is None


def torch_reads(evidence: Evidence, facts: dict) -> list[tuple[str, int, int]]:
    """(name, elements that PyTorch operations read, elements of the tensor) of q, k and v."""
    return [(name, read, facts[name].numel()) for name, read in zip("qkv", evidence.torch_reads)]


def holds_all_scores(evidence: Evidence, facts: dict) -> bool:
    """Whether as many numbers were alive at once as there are scores, in a case that limits them."""
    return facts["many"] and evidence.peak >= len(facts["q"]) * len(facts["k"])


def beyond_a_tile(evidence: Evidence, facts: dict) -> tuple[str, int] | None:
    """("k" or "v", rows of it that one operation reads) where these are more than a tile has, and keys are many."""
    rows = [(name, -(-most // facts[name].shape[1])) for name, most in zip("qkv", evidence.torch_most)]
    return next(((name, n) for name, n in rows[1:] if facts["many"] and n > facts["tile"]), None)


def returned(evidence: Evidence, facts: dict) -> str | None:
    """None where 13.1 returned attention, read k and v once, and never held all the scores; else a sentence."""
    got = evidence.value
    sentence = compare.kind(got, facts["want"].float()) or numbers_fault(got, facts)
    if sentence:
        return sentence
    reads = torch_reads(evidence, facts)
    for name, read, size in reads[1:]:
        if read > size:
            return fault(
                "way", "right numbers, but {name} is read {value} times over", name=name, value=f"{read / size:.3g}"
            )
    for name, read, size in reads:
        if read < size:
            return fault(
                "way",
                "right numbers, but PyTorch read {read} of the {size} numbers of {name}",
                read=read,
                size=size,
                name=name,
            )
    if holds_all_scores(evidence, facts):
        m, n = len(facts["q"]), len(facts["k"])
        return fault(
            "way",
            "right numbers, but at one moment your tensors held {peak} numbers between them, and "
            "all the scores are {m}·{n} = {value}",
            peak=f"{evidence.peak:,}",
            m=m,
            n=n,
            value=f"{m * n:,}",
        )
    if found := beyond_a_tile(evidence, facts):
        return fault(
            "way",
            "right numbers, but one operation reads {rows} rows of {name}, and a tile has {tile}",
            rows=found[1],
            name=found[0],
            tile=facts["tile"],
        )
    return None


def stored(evidence: Evidence, facts: dict) -> str | None:
    """None where 13.2 stored attention, and read q once and k and v once a block of queries; else a sentence."""
    q, k, read = facts["q"], facts["k"], facts["reads"]
    sentence = numbers_fault(evidence.args[0], facts)
    if sentence or evidence.read <= read:
        return sentence
    blocks = -(-len(q) // facts["block"])
    return (
        fault(
            "way",
            "right numbers, but {read} elements are read; q once ({numel}) and k and v once for "
            "each of {blocks} blocks of queries ({value}) are {read2}",
            read=f"{evidence.read:,}",
            numel=f"{q.numel():,}",
            blocks=blocks,
            value=f"{2 * blocks * k.numel():,}",
            read2=f"{read:,}",
        )
        if blocks > 1
        else fault(
            "way",
            "right numbers, but {read} elements are read; q once ({numel}) and k and v once for "
            "each of {blocks} block of queries ({value}) are {read2}",
            read=f"{evidence.read:,}",
            numel=f"{q.numel():,}",
            blocks=blocks,
            value=f"{2 * blocks * k.numel():,}",
            read2=f"{read:,}",
        )
    )
