"""Attention of all heads of a batch in half precision: right values, bounds, and the verification of answers.

B batches of H heads, M queries, N keys: q is B×H×M×D, k and v are B×H×N×D, all float16 or all bfloat16. The last axis
has stride 1, the others any. The results are o, B×H×M×D in their dtype, and lse, B×H×M in float32: for each query the
natural logarithm of the sum of exp(score).

The facts of a case are those of `case_facts`.
"""

from __future__ import annotations

import torch

from ..sentence import fault, said
from ..spec import Evidence
from . import attention

_EPS = torch.finfo(torch.float32).eps


def case_facts(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, block: int, tile: int, causal: bool,
    exact: bool = False,
) -> dict:  # fmt: skip
    """The arguments by name, `heads`, `reads` (elements), and the indices of both outputs among the arguments.

    block, tile: queries of a program, keys of a step. heads: for each head of each batch the facts of
    `attention.case_facts`, with bounds for half precision; `lse` and `lse_allowed` (float64, M) are added. exact: as
    there.
    """
    b, h, m, d = q.shape
    given = {"q": q, "k": k, "v": v, "scale": scale, "tile": tile, "causal": causal, "block": block}
    given["exact"] = exact
    heads = [_head(q[i, j], k[i, j], v[i, j], scale, block, tile, causal, exact) for i in range(b) for j in range(h)]
    reads = b * h * (m * d + 2 * -(-m // block) * k.shape[2] * d)
    want = torch.stack([head["want"] for head in heads]).reshape(q.shape)
    return given | {"heads": heads, "reads": reads, "want": want, "out": 0, "lse_out": 1}


def _head(q, k, v, scale: float, block: int, tile: int, causal: bool, exact: bool) -> dict:
    """The facts of one head: q is M×D, k and v are N×D."""
    facts = attention.case_facts(q.float(), k.float(), v.float(), scale, tile, causal, exact)
    s = attention.scores(facts)
    p, top = torch.softmax(s, 1), s.amax(1, keepdim=True)
    facts["lse"] = torch.logsumexp(s, 1)
    magnitude = scale * attention.matmul(facts["q"].double().abs(), facts["k"].double().abs().t())
    off = (p * (q.shape[1] + 12) * magnitude).sum(1) + 4 * top.abs()[:, 0] + 4 * facts["lse"].abs() + 16 + len(k)
    facts["lse_allowed"] = _EPS * off
    # A weight is rounded once, relative to the largest so far, and so is the output.
    half = torch.finfo(q.dtype)
    unit, least = half.eps / 2, half.smallest_normal * half.eps
    weighed = attention.matmul(p, facts["v"].double().abs())
    facts["allowed"] += unit * (weighed + facts["want"].abs()) + least * (1 + facts["v"].double().abs().sum(0))
    return facts | {"block": block, "dtype": q.dtype}


# ---- verification


def stored(evidence: Evidence, facts: dict) -> str | None:
    """None where an answer stored attention and log-sum-exp of every head and read no more than it had to.

    Else a sentence about the first error.
    """
    o, lse = (evidence.args[facts[name]] for name in ("out", "lse_out"))
    for i, head in enumerate(facts["heads"]):
        at = divmod(i, o.shape[1])
        where = said("batch {at}, head {at2}, ", at=at[0], at2=at[1]) if len(facts["heads"]) > 1 else ""
        sentence = attention.numbers_fault(o[at], head)
        if sentence:
            return said("{where}{sentence}", where=where, sentence=sentence) if where else sentence
        bad = ~((lse[at].double() - head["lse"]).abs() <= head["lse_allowed"])
        if bad.any():
            query = int(bad.nonzero()[0])
            got, want = lse[at][query].item(), head["lse"][query].item()
            count = said("{sum} of {count} values differ", sum=int(bad.sum()), count=len(bad))
            return said(
                "{where}query {query}: o is right; lse is {got}, expected {want}; {count}",
                where=where,
                query=query,
                got=f"{got:.7g}",
                want=f"{want:.7g}",
                count=count,
            )
    if evidence.read > facts["reads"]:
        return fault(
            "way",
            "right numbers, but {read} elements are read; for each head q once, and k and v once "
            "for each block of queries, are {reads}",
            read=f"{evidence.read:,}",
            reads=f"{facts['reads']:,}",
        )
    return None


def right_output(evidence: Evidence, facts: dict) -> bool:
    """Whether o is right for every head, whatever lse holds."""
    o = evidence.args[facts["out"]]
    pairs = zip(o.flatten(0, 1), facts["heads"])
    return all(attention.numbers_fault(got, head) is None for got, head in pairs)
