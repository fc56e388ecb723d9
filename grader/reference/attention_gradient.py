"""The gradient of attention of one head: right values, bounds for float32, and the verification of answers.

M queries, N keys: q, o and their gradients dq and do are M×D, k, v, dk and dv are N×D, lse is M, all float32. With the
scores s = scale · q kᵀ and the weights p = exp(s - lse):

    dv = pᵀ do,   ds = p · (do vᵀ - Σ do · o),   dq = scale · ds k,   dk = scale · dsᵀ q

The facts of a case are those of `case_facts`.
"""

from __future__ import annotations

import torch

from ..sentence import said
from ..spec import Evidence
from .attention import TF32, difference, matmul

_EPS = torch.finfo(torch.float32).eps
KEYS, QUERIES = "key_gradient_kernel", "query_gradient_kernel"


def case_facts(kernel: str, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, do: torch.Tensor, scale: float) -> dict:
    """The arguments by name, o and lse (float32), and `outs`: (name, right values, bound) of each output.

    `outs_on_gpu` has the bounds of a GPU, as `attention.tf32_bound` explains them.
    """
    s = scale * matmul(q.double(), k.double().t())
    o, lse = matmul(torch.softmax(s, 1), v.double()), torch.logsumexp(s, 1)
    facts = {"q": q, "k": k, "v": v, "do": do, "scale": scale, "o": o.float(), "lse": lse.float(), "kernel": kernel}
    exact = {name: t.double() for name, t in facts.items() if isinstance(t, torch.Tensor)} | {"o": o, "lse": lse}
    right, allowed, in_tf32 = gradients(facts | exact), bounds(facts | exact), tf32_bounds(facts | exact)
    names = ("dk", "dv") if kernel == KEYS else ("dq",)
    facts["outs"] = [(name, right[name], allowed[name]) for name in names]
    facts["outs_on_gpu"] = [(name, right[name], allowed[name] + in_tf32[name]) for name in names]
    return facts | {"out": 0, "want": facts["outs"][0][1]}


def gradients(facts: dict, weights=lambda s, lse: torch.exp(s - lse), scores=lambda p, dp, delta: p * (dp - delta),
              outer=lambda scale: scale) -> dict:  # fmt: skip
    """{name: gradient} in the dtype of the facts. weights, scores, outer: p, ds and the factor of dq and dk."""
    q, k, v, do, scale = (facts[name] for name in ("q", "k", "v", "do", "scale"))
    p = weights(scale * matmul(q, k.t()), facts["lse"][:, None])
    ds = scores(p, matmul(do, v.t()), (do * facts["o"]).sum(1, keepdim=True)) * outer(scale)
    return {"dq": matmul(ds, k), "dk": matmul(ds.t(), q), "dv": matmul(p.t(), do)}


def bounds(facts: dict) -> dict:
    """{name: absolute error that careful float32 arithmetic may have}, float64.

    As in `attention.bound`: the absolute error of a score is the relative error of its weight, and a sum of n products
    has an error of at most n roundings of the sum of their magnitudes.
    """
    q, k, v, do, o, lse = (facts[name] for name in ("q", "k", "v", "do", "o", "lse"))
    (m, d), n, scale = q.shape, len(k), facts["scale"]
    p = torch.exp(scale * matmul(q, k.t()) - lse[:, None])
    off = (d + 12) * scale * matmul(q.abs(), k.abs().t()) + 4 * lse.abs()[:, None] + 16
    inner = matmul(do.abs(), v.abs().t()) + (do * o).abs().sum(1, keepdim=True)
    ds = scale * p * inner
    off_ds = ds * (off + 2 * d + 8)
    return {
        "dq": _EPS * matmul(off_ds + (n + 4) * ds, k.abs()) + 1e-30,
        "dk": _EPS * matmul((off_ds + (m + 4) * ds).t(), q.abs()) + 1e-30,
        "dv": _EPS * matmul((p * (off + m)).t(), do.abs()) + 1e-30,
    }


def tf32_bounds(facts: dict) -> dict:
    """{name: absolute error that products of tf32 add}, float64; a factor of a product has the error TF32."""
    q, k, v, do, o, lse = (facts[name] for name in ("q", "k", "v", "do", "o", "lse"))
    scale = facts["scale"]
    p = torch.exp(scale * matmul(q, k.t()) - lse[:, None])
    off = torch.expm1((2 * TF32 * scale * matmul(q.abs(), k.abs().t())).clamp(max=50)) + 2 * TF32
    inner = matmul(do.abs(), v.abs().t()) + (do * o).abs().sum(1, keepdim=True)
    off_ds = scale * p * inner * (off + 2 * TF32 * (1 + off))
    return {
        "dq": matmul(off_ds, k.abs()),
        "dk": matmul(off_ds.t(), q.abs()),
        "dv": matmul((p * off).t(), do.abs()),
    }


def stored(evidence: Evidence, facts: dict, outs: str = "outs") -> str | None:
    """None where a kernel stored its gradients, else a sentence about the first wrong element. outs: the fact."""
    for got, (name, want, allowed) in zip(evidence.args, facts[outs]):
        sentence = difference(got, want, allowed, of_keys=name != "dq")
        if sentence:
            return said("{one}: {two}", one=name, two=sentence)
    return None
