"""Lesson 13: steps with points of their own, and how exact is exact enough."""

import importlib.util
import json

import pytest
import torch
from conftest import stored

from grader import lessons
from grader.environment import ROOT
from grader.judge import extract
from grader.judge.judge import judge
from grader.mistakes.registry import MISTAKES
from grader.reference import attention, attention_gradient
from grader.spec import Evidence

EXERCISE = lessons.exercises()["13.2"]
RIGHT = {kept.name: kept.source for kept in stored("right")}
KERNEL = RIGHT["13_kernel_exp2"]
_SKIP = next(line for line in KERNEL.splitlines() if "end = tl.minimum" in line)
_MASK = next(line for line in KERNEL.splitlines() if "keep = keep &" in line)


def verdict(source):
    return judge(EXERCISE, extract.extract([source], EXERCISE.names))


@pytest.mark.whole
def test_a_kernel_without_the_last_step_earns_the_rest():
    """Its masks for CAUSAL are wrong, and everything else is right."""
    result = verdict(KERNEL.replace(_MASK, "            keep = keep"))

    assert (result.status, result.score, result.mistake) == ("failed", 1.5, "causal-ignored")


def test_the_errors_of_a_rounded_score_in_the_text_are_those_of_its_dtype():
    """A score near 10 lies between 8 and 16, where neighbours are 8 epsilons apart."""
    half, brain = (8 * torch.finfo(dtype).eps / 2 for dtype in (torch.float16, torch.bfloat16))

    assert f"off by {half:.1g}, or in bfloat16 by {brain:.1g}." in MISTAKES["scores-in-half"].sentence


def test_a_step_that_is_still_a_stub_is_said_to_be_one():
    """The cases before it have passed."""
    result = verdict(KERNEL.replace(_SKIP, '        tl.static_assert(False, "TODO 13.2 (2 of 7)")'))

    assert (result.status, result.score, result.mistake) == ("failed", 1.5, "todo-left")
    next_step = "causal is judged next: put your answer in place of its TODO (the check stopped at TODO 2 of 7)"
    assert next_step in " ".join(result.text.split())


def test_in_the_first_step_nothing_is_said_of_the_second():
    """A load without a mask is right in tiles that are full, and the first step is not yet written to its end."""
    stub = KERNEL.replace("    tl.store(o_ptr", '    tl.static_assert(False, "TODO 13.2 (7 of 7)")\n    tl.store(o_ptr')
    result = verdict(stub.replace("mask=rows[:, None] < n_queries, other=0.0", ""))

    assert result.mistake == "todo-left"
    assert "stopped at TODO 7 of 7" in " ".join(result.text.split())


def test_a_stub_of_the_last_step_hides_no_other_mistake():
    """The division is missing as well."""
    stub = KERNEL.replace(_SKIP, '        tl.static_assert(False, "TODO 13.2 (2 of 7)")')
    result = verdict(stub.replace("o / l[:, None]", "o"))

    assert (result.status, result.score, result.mistake) == ("failed", 0, "not-normalised")


@pytest.mark.whole
@pytest.mark.parametrize(
    "name, words",
    [
        ("13_kernel_no_skip", "as many keys as the last program"),
        ("13_kernel_one_end_for_all", "as many keys as the last program"),
        ("13_kernel_precision_left_open", "input_precision"),
        ("13_flash_products_in_float32", "takes blocks in float32"),
    ],
)
def test_a_remark_costs_nothing(name, words):
    """It is told to whoever passed, and kept in the record."""
    exercise = lessons.exercises()["13.3" if "flash" in name else "13.2"]
    result = judge(exercise, extract.extract([RIGHT[name]], exercise.names))

    assert (result.status, result.score) == ("passed", 2)
    assert words in result.text and any(words in remark for remark in result.record()["remarks"])


def rounded(t, bits=13):
    """float32 with so many bits fewer after the point, as tf32 has 13."""
    return ((t.view(torch.int32) + (1 << bits - 1)) & -(1 << bits)).view(torch.float32)


def computed(facts, round_to=lambda t: t):
    """Attention in float32, with both products' inputs rounded."""
    s = round_to(facts["q"]) @ round_to(facts["k"]).T * facts["scale"]
    if facts["causal"]:
        s = s.masked_fill(attention.causal_mask(*s.shape), -torch.inf)
    p = torch.exp(s - s.amax(1, keepdim=True))
    return round_to(p) @ round_to(facts["v"]) / p.sum(1, keepdim=True)


@pytest.mark.parametrize("seed", range(3))
def test_float32_is_within_the_bound_and_tf32_is_not(seed):
    """In every case, and in most of them: where one weight is 1 and the others 0, there is little to round."""
    cases = EXERCISE.cases(seed)
    misses = [attention.difference(computed(c.facts, rounded), c.facts["want"], c.facts["allowed"]) for c in cases]

    assert all(attention.difference(computed(c.facts), c.facts["want"], c.facts["allowed"]) is None for c in cases)
    assert sum(map(bool, misses)) > len(cases) / 2


def cut(t, bits=13):
    """float32 with so many bits fewer after the point, which tensor cores do not look at."""
    return (t.view(torch.int32) & -(1 << bits)).view(torch.float32)


@pytest.mark.parametrize("inputs", [rounded, cut])
@pytest.mark.parametrize("seed", range(3))
def test_a_result_in_tf32_is_right_on_a_gpu(seed, inputs):
    """There the compiler may choose it, also for a sum of products; an answer has the same marks with and without."""
    assert [c.label for c in EXERCISE.cases(seed) if c.compiled(Evidence(args=[computed(c.facts, inputs)]))] == []


def test_on_a_gpu_a_wrong_number_is_still_wrong():
    """The bound there is wider by the error of tf32, and no wider."""
    cases = [case for case in EXERCISE.cases(1) if "around" not in case.label]
    wrong = [case for case in cases if case.compiled(Evidence(args=[1.05 * computed(case.facts)]))]

    assert len(wrong) > 0.8 * len(cases)


FLASH = lessons.exercises()["13.3"]
GRADIENT = lessons.exercises()["13.4"]


def other_orders(facts, half):
    """Right answers to one head of 13.3 in float32: keys forwards and backwards, weights rounded or not."""
    q, k, v = (facts[name].float() for name in "qkv")
    s = (q @ k.T) * facts["scale"]
    if facts["causal"]:
        s = s.masked_fill(attention.causal_mask(*s.shape), -torch.inf)
    for order in (torch.arange(len(k)), torch.arange(len(k)).flip(0)):
        top = s.amax(1, keepdim=True)
        p = torch.exp(s[:, order] - top)
        l = p.sum(1, keepdim=True)
        for weights in (p, p.to(half).float()):
            yield ((weights @ v[order]) / l).to(half), (top + torch.log(l))[:, 0]


@pytest.mark.parametrize("seed", range(8))
def test_the_bounds_of_half_precision_accept_every_right_way(seed):
    """Weights are rounded to half precision or stay in float32; the log-sum-exp is float32 throughout."""
    for case in FLASH.cases(seed):
        for head in case.facts["heads"]:
            for o, lse in other_orders(head, case.facts["q"].dtype):
                assert attention.difference(o, head["want"], head["allowed"]) is None, case.label
                assert ((lse.double() - head["lse"]).abs() <= head["lse_allowed"]).all(), case.label


@pytest.mark.parametrize("seed", range(8))
def test_the_bounds_of_a_gradient_accept_float32(seed):
    """The formulas, computed in float32 by PyTorch."""
    for case in GRADIENT.cases(seed):
        made = attention_gradient.gradients(case.facts)
        for name, want, allowed in case.facts["outs"]:
            assert attention.difference(made[name], want, allowed) is None, case.label


def test_the_gradient_is_the_one_of_autograd():
    """In float64, for q, k and v."""
    q, k, v = (torch.randn(n, 4, dtype=torch.float64, requires_grad=True) for n in (5, 7, 7))
    s = 0.3 * q @ k.T
    o, lse, do = torch.softmax(s, 1) @ v, torch.logsumexp(s, 1), torch.randn(5, 4, dtype=torch.float64)
    want = torch.autograd.grad(o, (q, k, v), do)
    given = {"q": q, "k": k, "v": v, "o": o, "lse": lse, "do": do}
    made = attention_gradient.gradients({name: t.detach() for name, t in given.items()} | {"scale": 0.3})

    for name, each in zip(("dq", "dk", "dv"), want):
        assert torch.allclose(each, made[name])


def test_the_record_of_attention_is_the_one_of_the_script():
    """Its description, and every row that the script measures."""
    path = ROOT / "tools" / "record" / "attention.py"
    spec = importlib.util.spec_from_file_location("attention_benchmark", path)
    spec.loader.exec_module(script := importlib.util.module_from_spec(spec))
    record = json.loads((ROOT / "records" / "attention_on_h200.json").read_text())

    assert record["what"].startswith(script.WHAT) and record["command"].startswith("python tools/record/attention.py")
    assert set(script.CHANGES) == set(record["variants"][0]["microseconds"])
    assert all(row["o"]["13.3"] <= 1.5 and row["lse"] < 1e-5 for row in record["errors"])
