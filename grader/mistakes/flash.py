"""Mistakes in attention of all heads in half precision: heads, roundings, and the log-sum-exp.

Half precision enters matrix products alone; scores, weights and state are float32 (FlashAttention-2: Dao 2023, arXiv
2307.08691). The facts of a case are those of `reference/flash.py`. Its `heads` are facts of `reference/attention.py`:
the formulas of 13.2 apply to one head at a time.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace

import torch

from ..checks import compare, syntax
from ..checks.bounds import HALF
from ..checks.examples import like
from ..reference import flash
from ..reference.attention import causal_mask, difference, matmul, scores
from ..sentence import said
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .attention import (
    ATTENTION_NUMBERS,
    PAD_FINITE,
    PLACES,
    ZERO_TIMES_NAN,
    alike,
    formula,
    more_read,
    scaled,
    update_with,
    walk,
)
from .detectors import both, looks
from .kernels import KERNEL
from .mistake import Mistake
from .mutant import Mutant, also, several

# ---- texts

_HEAD, _BATCH = "tl.program_id(1) % n_heads", "tl.program_id(1) // n_heads"


def _all_places(text: str) -> Mutant:
    """13.3 with another beginning of a head in each of its tensors. text: of the tensor {t}."""
    first, *others = ((PLACES[t], text.format(t=t)) for t in "oqkv")
    then = None
    for each in others:
        then = also(*each, then=then)
    return Mutant("13.3", *first, then=then)


MISTAKES = [
    Mistake(
        "heads-mixed",
        "A head got numbers of another head: its part of a tensor begins elsewhere.",
        "For program (0, 4) with 3 heads per batch: which batch is it, which head, and where does each tensor begin?",
        Mutant("13.3", _BATCH, "tl.program_id(1) // 2", then=also(_HEAD, "tl.program_id(1) % 2")),
        Mutant(
            "13.3",
            "lse_ptr + tl.program_id(1) * n_queries",
            "lse_ptr + (head * tl.num_programs(1) // n_heads + batch) * n_queries",
        ),
        several("13.3", PLACES["q"], "q_ptr += head * q_head_stride", "q_ptr += batch * q_batch_stride"),
        _all_places("{t}_ptr += head * {t}_head_stride"),
        Mutant("13.3", PLACES["k"], "k_ptr += batch * k_batch_stride"),
        Mutant("13.3", PLACES["v"], "v_ptr += batch * v_batch_stride"),
    ),
    Mistake(
        "grid-axis-missing",
        "The kernel asks for the number of its program along an axis that the grid does not have, and gets 0.",
        "How many numbers does the grid of this kernel have, and which of them counts batches and heads together?",
        Mutant(
            "13.3",
            _BATCH,
            "tl.program_id(1)",
            then=also(f"head = ({_HEAD}", "head = (tl.program_id(2)"),
            replayed=False,
        ),
    ),
    Mistake(
        "batch-and-head-strides",
        "Batches and heads changed places: one of them moved on by the stride of the other.",
        "How far apart are two heads of one batch, and how far the same head of two batches?",
        Mutant("13.3", _BATCH, _HEAD, then=also(f"head = ({_HEAD}", f"head = ({_BATCH}")),
        *(
            Mutant("13.3", place, f"{t}_ptr += batch * {t}_head_stride + head * {t}_batch_stride")
            for t, place in PLACES.items()
        ),
    ),
    Mistake(
        "strides-of-another-tensor",
        "The heads of one tensor were looked for at the strides of another one.",
        "Which three strides belong to each pointer, if the four tensors lie differently in memory?",
        *(Mutant("13.3", PLACES[t], PLACES["q"].replace("q_ptr", f"{t}_ptr")) for t in "okv"),
    ),
    Mistake(
        "heads-one-after-another",
        "The kernel takes for granted that heads lie one after another in memory.",
        "Where does head 1 begin in a tensor whose heads alternate from row to row?",
        Mutant(
            "13.3",
            PLACES["q"],
            "q_ptr += tl.program_id(1) * n_queries * D",
            then=also(PLACES["o"], "o_ptr += tl.program_id(1) * n_queries * D"),
        ),
        Mutant(
            "13.3",
            PLACES["k"],
            "k_ptr += tl.program_id(1) * n_keys * D",
            then=also(PLACES["v"], "v_ptr += tl.program_id(1) * n_keys * D"),
        ),
        _all_places("{t}_ptr += tl.program_id(1) * {t}_head_stride"),
    ),
    Mistake(
        "grid-axes-exchanged",
        "The two numbers of a program changed places: the kernel takes the number of a head for that of a block of "
        "queries, and the other way round.",
        "Which of the two numbers of program (i, j) counts blocks of queries, and which one counts heads?",
        Mutant(
            "13.3",
            "program_id(0)",
            "program_id(2)",
            2,
            then=also("program_id(1)", "program_id(0)", 3, then=also("program_id(2)", "program_id(1)", 2)),
        ),
    ),
    Mistake(
        "accumulator-in-half",
        "The accumulator was rounded to half precision, so it overflows, or digits of it are lost.",
        "In which lines has the accumulator half precision, and which of them needs it?",
        Mutant("13.3", "        m = new\n", "        m = new\n        o = o.to(q.dtype).to(tl.float32)\n"),
        Mutant("13.3", "tl.dot(p.to(v.dtype), v)", "tl.dot(p.to(v.dtype), v).to(q.dtype)"),
    ),
    Mistake(
        "sum-in-half",
        "The sum of the weights was rounded to half precision on the way.",
        "How many digits does lse have in float32, and how many does your l have?",
        Mutant("13.3", "        m = new\n", "        m = new\n        l = l.to(q.dtype).to(tl.float32)\n"),
    ),
    Mistake(
        "scores-in-half",
        "The scores were rounded to half precision: a score near 10 can then be off by 0.004, or in bfloat16 by 0.03.",
        "Which dtype does tl.dot give for blocks in half precision, and which do your scores have when exp meets them?",
        several(
            "13.3",
            "s = tl.dot(q, tl.trans(k)) * scale",
            "s = tl.dot(q, tl.trans(k)).to(q.dtype).to(tl.float32) * scale",
            "s = (tl.dot(q, tl.trans(k)) * scale).to(q.dtype).to(tl.float32)",
        ),
    ),
    Mistake(
        "query-rounded-again",
        "The queries were scaled and rounded to half precision once more before the product.",
        "Which numbers may be rounded to half precision, and what happens to all scores of a rounded query?",
        Mutant(
            "13.3",
            "s = tl.dot(q, tl.trans(k)) * scale",
            "s = tl.dot((q.to(tl.float32) * scale).to(k.dtype), tl.trans(k))",
        ),
    ),
    Mistake(
        "rounded-weights-summed",
        "l is the sum of weights that were rounded to half precision already.",
        "For which of its two uses does a weight have to be in half precision?",
        Mutant("13.3", "p = tl.exp(s - new[:, None])", "p = tl.exp(s - new[:, None]).to(v.dtype)", replayed=False),
        Mutant(
            "13.3",
            "p = tl.exp(s - new[:, None])",
            "p = tl.exp(s - new[:, None]).to(v.dtype)",
            then=also("tl.sum(p, axis=1)", "tl.sum(p.to(tl.float32), axis=1)"),
        ),
    ),
    Mistake(
        "weights-in-another-half",
        "Weights and values met in another half precision than theirs: it has fewer digits, or overflows earlier.",
        "Which of float16 and bfloat16 has more digits, which has the larger numbers, and which one was v given in?",
        several(
            "13.3",
            "tl.dot(p.to(v.dtype), v)",
            "tl.dot(p.to(tl.float16), v.to(tl.float16))",
            "tl.dot(p.to(tl.bfloat16), v.to(tl.bfloat16))",
        ),
    ),
    Mistake(
        "weights-to-bits",
        "The bits of the weights were taken for numbers of another dtype.",
        "What does bitcast do to the number 1.0?",
        Mutant("13.3", "p.to(v.dtype)", "p.to(tl.uint32, bitcast=True).to(tl.uint16).to(v.dtype, bitcast=True)"),
    ),
    Mistake(
        "lse-without-maximum",
        "lse is the logarithm of l alone: the maximum that was subtracted from the scores is missing.",
        "l is the sum of exp(s - m). What is the logarithm of the sum of exp(s)?",
    ),
    Mistake(
        "lse-in-base-two",
        "lse is in base two.",
        "Which number does natural log give for e, and which one does log2?",
    ),
    Mistake(
        "lse-in-two-bases",
        "The logarithm of l is in base two, and the maximum is not.",
        "Which number does natural log give for e, and which one does log2?",
    ),
    Mistake(
        "lse-is-maximum",
        "lse holds the maximum alone.",
        "By how much does the log-sum-exp of two equal scores lie above them?",
    ),
    Mistake(
        "lse-in-half",
        "lse was rounded to half precision before it was stored.",
        "How many digits does lse have in float32, and which of your lines gives it fewer?",
        Mutant("16.1", "m + tl.log(d))", "(m + tl.log(d)).to(tl.float16).to(tl.float32))"),
        Mutant("16.1", "m + tl.log(d))", "(m + tl.log(d)).to(tl.bfloat16).to(tl.float32))"),
    ),
    Mistake(
        "maximum-in-half",
        "The maximum was rounded to half precision on its way into lse.",
        "How many digits does the maximum have in float32, and which of your lines gives it fewer?",
        *(
            Mutant("13.3", "m + tl.log(l)", f"m.to(tl.{half}).to(tl.float32) + tl.log(l)", replayed=False)
            for half in ("float16", "bfloat16")
        ),
        Mutant("16.1", "m + tl.log(d))", "m.to(tl.float16).to(tl.float32) + tl.log(d))"),
    ),
    Mistake(
        "lse-of-the-mean",
        "The sum of the exponentials was divided by how many there are: this is the logarithm of their mean.",
        "By how much does the log-sum-exp of n equal numbers lie above them?",
        several("13.3", "tl.log(l)", "tl.log(l / n_keys)", "tl.log(l) - tl.log(n_keys * 1.0)"),
        Mutant("16.1", "m + tl.log(d))", "m + tl.log(d / n_cols))"),
        Mutant("16.1", "tl.log(d)", "tl.log(d / n_cols)", 2),
    ),
    Mistake(
        "maximum-of-last-tile",
        "The maximum of the last tile was added to the logarithm of a sum that belongs to the maximum of all tiles.",
        "Relative to which maximum is the sum after the last step, and which one do you add?",
        Mutant("13.3", "m + tl.log(l)", "tl.max(s, axis=1) + tl.log(l)"),
        Mutant("16.1", "m + tl.log(d))", "tl.max(x, axis=0) + tl.log(d))"),
        Mutant("16.1", "(m - hit)", "(tl.max(x, axis=0) - hit)"),
    ),
    Mistake(
        "lse-put-together",
        "The maximum and the sum are right, but lse is not the logarithm that they make together.",
        "What is the logarithm of exp(m) times l, in terms of m and of log(l)?",
        several(
            "13.3",
            "m + tl.log(l)",
            "m * tl.log(l)",
            "m - tl.log(l)",
            "tl.log(l) - m",
            "tl.log(m + l)",
            "m * l",
            "tl.log(m) + tl.log(l)",
            replayed=False,
        ),
    ),
    Mistake(
        "lse-is-sum",
        "lse holds the sum of the weights in place of its logarithm.",
        "Which of m and l is in units of scores, and which in units of their exponentials?",
    ),
    Mistake(
        "lse-not-stored",
        "The lse of some queries was never stored.",
        "Which line stores lse, which place has the lse of a query of the second batch or head, and what of the last "
        "queries?",
        Mutant(
            "13.3",
            "    tl.store(lse_ptr + tl.program_id(1) * n_queries + rows, m + tl.log(l), mask=rows < n_queries)",
            "",
        ),
    ),
    Mistake(
        "lse-of-unscaled-scores",
        "lse was computed from scores without their scale, or with another scale.",
        "Which scores go into exp, and in which units is the maximum kept?",
    ),
]

# ---- one head


def _of_head(i: int, case: Case, evidence: Evidence) -> tuple[Case, Evidence]:
    """The same case and evidence for head i (counted through all batches) alone."""
    o = evidence.args[case.facts["out"]].flatten(0, 1)[i]
    return replace(case, facts=case.facts["heads"][i] | {"out": 0}), replace(evidence, value=None, args=[o])


def of_heads(detector: Detector) -> Detector:
    """A detector of 13.2 for an answer to 13.3: its formula has to fit the first head and the last one."""

    def ends(case: Case, evidence: Evidence):
        return [_of_head(i, case, evidence) for i in sorted({0, len(case.facts["heads"]) - 1})]

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        if evidence.error or compare.never_stored(evidence.args[case.facts["out"]]).all():
            return False
        return all(detector.detect(*one, answer) for one in ends(case, evidence))

    def fits(case: Case, evidence: Evidence) -> bool:
        return not evidence.error and all(detector.fits(*one) for one in ends(case, evidence))

    def weight(case: Case, evidence: Evidence) -> float:
        beside = 0.0 if _lse(case, evidence).isnan().all() else 0.25  # o may be NaN, and lse still says something
        return max(beside, *(detector.weight(*one) for one in ends(case, evidence)))

    return replace(detector, detect=detect, fits=detector.fits and fits, weight=detector.weight and weight)


# ---- wrong log-sum-exps
#
# A formula takes the facts of a head and gives lse (float32 or float64, M).


def _lse(case: Case, evidence: Evidence) -> torch.Tensor:
    return evidence.args[case.facts["lse_out"]].flatten(0, 1).double()


def lse_formula(compute: Callable[[dict], torch.Tensor], right_o: bool = True) -> Detector:
    """Matches where lse is compute(facts of a head) for nearly all queries, and much nearer to that than to the right.

    The allowed error is wide enough for one wrong formula beside another. right_o: whether o has to be right.
    """

    def fits(case: Case, evidence: Evidence) -> bool:
        if evidence.error or (right_o and not flash.right_output(evidence, case.facts)):
            return False
        for got, head in zip(_lse(case, evidence), case.facts["heads"]):
            want = compute(head).double()
            close = (got - want).abs() <= 4 * head["lse_allowed"] + 1e-6 * want.abs()
            if close.double().mean() < 0.9:
                return False
        return True

    def right(case: Case, evidence: Evidence) -> bool:
        pairs = [*zip(_lse(case, evidence), case.facts["heads"])]
        if not any(((got - head["lse"]).abs() > head["lse_allowed"]).any() for got, head in pairs):
            return True
        off = sum((got - compute(head).double()).abs().nan_to_num().mean() for got, head in pairs)
        return bool(off >= detectors.NEARER * sum((got - head["lse"]).abs().nan_to_num().mean() for got, head in pairs))

    return detectors.wrong_numbers(fits, right)


def _top(facts: dict) -> torch.Tensor:
    return scores(facts).amax(1)


def _sum_changed(change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[dict], torch.Tensor]:
    """The maximum and the logarithm of change(l)."""
    return lambda facts: _top(facts) + torch.log(change(torch.exp(facts["lse"] - _top(facts))))


def _with_scores(make) -> Callable[[dict], torch.Tensor]:
    return lambda facts: torch.logsumexp(make(facts).double(), 1)


def rounded_scores(before_scale: bool):
    """Scores (float32, M×N) that were rounded to the dtype of q before or after the scale."""

    def compute(facts: dict) -> torch.Tensor:
        raw = matmul(facts["q"].float(), facts["k"].float().t())
        half = facts["dtype"]
        s = raw.to(half).float() * facts["scale"] if before_scale else (raw * facts["scale"]).to(half).float()
        return s.masked_fill(scores(facts) == -torch.inf, -torch.inf)

    return compute


def rounded_query(base: float):
    """Scores (float32, M×N) of queries that were scaled, for powers of a base, and rounded to half precision."""

    def compute(facts: dict) -> torch.Tensor:
        unit = math.log(base)
        q = (facts["q"].float() * (facts["scale"] / unit)).to(facts["dtype"]).float()
        s = matmul(q, facts["k"].float().t()) * unit
        return s.masked_fill(scores(facts) == -torch.inf, -torch.inf)

    return compute


def _walked_sum(weights=lambda p, half: p, total=lambda l, half: l) -> Detector:
    """m + log(l), where a tile adds the sum of weights(p, half) to l, and each new l becomes total(l, half)."""

    def compute(facts: dict) -> torch.Tensor:
        m, l, half = torch.full((len(facts["q"]), 1), -torch.inf), torch.zeros(len(facts["q"]), 1), facts["dtype"]
        for s in scores(facts).float().split(facts["tile"], 1):
            new = torch.maximum(m, s.amax(1, keepdim=True))
            shift = torch.where(new == -torch.inf, 0.0, new)
            l = total(l * torch.exp(m - shift) + weights(torch.exp(s - shift), half).sum(1, keepdim=True), half)
            m = new
        return (m + torch.log(l))[:, 0]

    return lse_formula(compute, right_o=False)


# ---- wrong accumulators


def _in_half(l, o, factor, p, v, half):
    """The accumulator is rounded to half precision after each tile."""
    return l * factor + p.sum(1, keepdim=True), (o * factor + matmul(p, v)).to(half).float()


def _product_in_half(l, o, factor, p, v, half):
    """Each tile's part of the accumulator is rounded to half precision."""
    return l * factor + p.sum(1, keepdim=True), o * factor + matmul(p, v).to(half).float()


def half_walk(sums) -> Detector:
    """The walk of 13.2 with sums that are rounded to the dtype of q: sums(l, o, factor, p, v, half)."""

    def compute(facts: dict) -> torch.Tensor:
        return walk(update_with(sums=lambda *parts: sums(*parts, facts["dtype"])))(facts)

    return of_heads(formula(compute))


# ---- heads


_right_output = looks(lambda error, case, evidence: not error and flash.right_output(evidence, case.facts))


def _of_others(found: torch.Tensor, heads: list[dict], right) -> bool:
    """Whether all that is wrong is right elsewhere: right(found[i], head) for each head i, or for another head."""
    wrong = [i for i, head in enumerate(heads) if not right(found[i], head)]
    return bool(wrong) and all(any(right(found[i], heads[j]) for j in range(len(heads)) if j != i) for i in wrong)


@looks
def _heads_of_others(heads, error, args, out) -> bool:
    """Recognises right numbers in wrong places: some head has the output of another one."""

    def right(o, head) -> bool:
        return difference(o, head["want"], head["allowed"]) is None

    return not error and _of_others(args[out].flatten(0, 1), heads, right)


@looks
def _lse_of_others(heads, case, evidence) -> bool:
    """Recognises right values of lse in the places of other heads."""

    def right(lse, head) -> bool:
        return bool(((lse - head["lse"]).abs() <= head["lse_allowed"]).all())

    return _of_others(_lse(case, evidence), heads, right)


def _attended(facts: dict, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """o (B·H×M×D, in the dtype of q) of all heads, for other tensors in place of those of the case."""
    s = facts["scale"] * matmul(q.double(), k.double().transpose(-1, -2)).flatten(0, 1)
    if facts["causal"]:
        s = s.masked_fill(causal_mask(*s.shape[1:]), -torch.inf)
    return matmul(torch.softmax(s, -1), v.double().flatten(0, 1)).to(q.dtype)


def _elsewhere(place) -> Detector:
    """Matches where o is that of tensors whose heads were looked for elsewhere in memory.

    place(tensor, name, facts): its strides of batches and heads in elements, or None for the right ones.
    """

    def fits(case: Case, evidence: Evidence) -> bool:
        if evidence.error:
            return False
        facts, moved = case.facts, {}
        for name in "qkv":
            t = facts[name]
            strides = (*(place(t, name, facts) or t.stride()[:2]), *t.stride()[2:])
            last = sum((n - 1) * s for n, s in zip(t.shape, strides))
            if last >= t.untyped_storage().nbytes() // t.element_size():
                return False
            moved[name] = t.as_strided(t.shape, strides)
        return bool(alike(evidence.args[facts["out"]].flatten(0, 1), _attended(facts, **moved)))

    return detectors.wrong_numbers(fits, lambda case, evidence: flash.right_output(evidence, case.facts))


def _for(names: str, strides) -> Detector:
    """The detector for tensors of these names alone; strides(tensor, facts)."""
    return _elsewhere(lambda t, name, facts: strides(t, facts) if name in names else None)


_SOME = ("q", "k", "v", "kv", "qkv")
_ELSEWHERE = (
    *(("heads-mixed", _for(names, lambda t, facts: (t.stride(0), 0))) for names in _SOME),
    *(("heads-mixed", _for(names, lambda t, facts: (0, t.stride(1)))) for names in _SOME),
    *(("heads-mixed", _for(names, lambda t, facts: (0, 0))) for names in _SOME),
    *(
        ("batch-and-head-strides", _for(names, lambda t, facts, of=of: tuple(t.stride(i) for i in of)))
        for names in _SOME
        for of in ((1, 0), (1, 1), (0, 0))
    ),
    *(
        ("strides-of-another-tensor", _for(names, which))
        for names in ("k", "v", "kv")
        for which in (
            lambda t, facts: facts["v" if t is facts["k"] else "k"].stride()[:2],
            lambda t, facts: facts["q"].stride()[:2],
            lambda t, facts: (facts["q"].stride(0), t.stride(1)),
            lambda t, facts: (t.stride(0), facts["q"].stride(1)),
        )
    ),
    *(
        ("heads-one-after-another", _for(names, strides))
        for names in _SOME
        for strides in (
            lambda t, facts: (t.shape[1] * t.shape[2] * t.shape[3], t.shape[2] * t.shape[3]),
            lambda t, facts: (t.shape[1] * t.stride(1), t.stride(1)),  # as if batches were further heads
        )
    ),
)


@looks
def _lse_missing(case, evidence) -> bool:
    """Recognises values of lse that are NaN."""
    return bool(_lse(case, evidence).isnan().any())


LN_2 = math.log(2)


FLASH_KERNEL = (
    *KERNEL,
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("grid-axis-missing", detectors.written_like("_.program_id(2)")),
    ("row-read-twice", both(more_read, _right_output)),
    ("heads-mixed", _heads_of_others),
    ("heads-mixed", both(_right_output, _lse_of_others)),
    *_ELSEWHERE,
    ("lse-not-stored", both(_right_output, _lse_missing)),
    ("lse-without-maximum", lse_formula(lambda facts: facts["lse"] - _top(facts))),
    ("lse-in-base-two", lse_formula(lambda facts: facts["lse"] / LN_2)),
    ("lse-in-two-bases", lse_formula(lambda facts: _top(facts) + (facts["lse"] - _top(facts)) / LN_2)),
    ("lse-is-maximum", lse_formula(_top)),
    ("lse-in-half", lse_formula(lambda facts: facts["lse"].half())),
    ("lse-in-half", lse_formula(lambda facts: facts["lse"].bfloat16())),
    ("lse-put-together", lse_formula(lambda facts: _top(facts) * (facts["lse"] - _top(facts)))),
    ("lse-put-together", lse_formula(lambda facts: 2 * _top(facts) - facts["lse"])),
    ("lse-put-together", lse_formula(lambda facts: facts["lse"] - 2 * _top(facts))),
    ("lse-put-together", lse_formula(lambda facts: torch.log(_top(facts) + torch.exp(facts["lse"] - _top(facts))))),
    ("lse-put-together", lse_formula(lambda facts: _top(facts) * torch.exp(facts["lse"] - _top(facts)))),
    ("lse-put-together", lse_formula(lambda facts: torch.log(_top(facts)) + facts["lse"] - _top(facts))),
    *(
        ("maximum-in-half", lse_formula(lambda facts, half=half: _top(facts).to(half) + facts["lse"] - _top(facts)))
        for half in HALF
    ),
    ("lse-is-sum", lse_formula(lambda facts: torch.exp(facts["lse"] - _top(facts)))),
    ("lse-is-sum", lse_formula(lambda facts: _top(facts) + torch.exp(facts["lse"] - _top(facts)))),
    ("lse-of-unscaled-scores", lse_formula(_with_scores(scaled(lambda scale: 1.0)))),
    *(
        ("number-in-the-logarithm", lse_formula(_sum_changed(lambda l, number=number: l + number)))
        for number in (1.0, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
    ),
    *(("sum-in-half", lse_formula(_sum_changed(lambda l, half=half: l.to(half).double()))) for half in HALF),
    ("lse-of-unscaled-scores", lse_formula(lambda facts: _top(facts) * facts["scale"] + facts["lse"] - _top(facts))),
    ("lse-of-unscaled-scores", lse_formula(lambda facts: _top(facts) / facts["scale"] + facts["lse"] - _top(facts))),
    ("scores-in-half", lse_formula(_with_scores(rounded_scores(True)), right_o=False)),
    ("scores-in-half", lse_formula(_with_scores(rounded_scores(False)), right_o=False)),
    *(("query-rounded-again", lse_formula(_with_scores(rounded_query(base)), right_o=False)) for base in (math.e, 2.0)),
    ("rounded-weights-summed", _walked_sum(weights=lambda p, half: p.to(half).float())),
    ("rounded-weights-summed", _walked_sum(weights=lambda p, half: p.to(half))),
    ("sum-in-half", _walked_sum(total=lambda l, half: l.to(half).float())),
    ("accumulator-in-half", half_walk(_in_half)),
    ("accumulator-in-half", half_walk(_product_in_half)),
    *((mistake, of_heads(detector)) for mistake, detector in (ZERO_TIMES_NAN, *ATTENTION_NUMBERS, PAD_FINITE)),
)


def _products_in_float32(tree: ast.AST) -> bool:
    """Recognises a tl.dot that takes a block cast to float32: in its own line, or under a name that is cast last."""
    cast = like(tree, "_.to(tl.float32)")
    names = {name for name, value in dict(syntax.assigned(tree)).items() if value in cast}
    blocks = [block for call in syntax.calls(tree, "dot") for block in call.args[:2]]
    return any(block in cast or getattr(block, "id", "") in names for block in blocks)


# Remarks on right answers to 13.3: (text, detector).
FLASH_REMARKS = (
    (
        said(
            "A tl.dot of yours takes blocks in float32. The result is right, but tensor cores "
            "multiply blocks in half precision faster."
        ),
        detectors.written(_products_in_float32),
    ),
)
