"""The audit: right kernels of public kinds have no fault, planted ones are found, and sentence and line are true."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import importlib.util
import json
import pathlib
import re
import shlex
import sys
import tomllib
from xml.etree import ElementTree

import pytest
import torch
import torch.nn.functional as F
import triton
from conftest import ROOT

import grader
from grader import __main__ as command
from grader import language
from grader.auditing.arguments import Arguments
from grader.auditing.audit import CannotAudit, audit
from grader.auditing.report import FaultsFound
from grader.auditing.report_files import as_json, junit
from grader.auditing.sizes import as_multiples, parts_of, resized

FOLDER = ROOT / "tests" / "audited"
TEXT = (FOLDER / "kernels.py").read_text(encoding="utf-8")
WRONG = tomllib.loads((FOLDER / "wrong.toml").read_text(encoding="utf-8"))


def loaded(path: pathlib.Path):
    """The module of a file of kernels."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def randn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


KERNELS = loaded(FOLDER / "kernels.py")
INPUTS = {
    "softmax": (lambda x: torch.softmax(x, -1), [randn(4, 781)]),
    "log_softmax": (lambda x: torch.log_softmax(x, -1), [randn(4, 781)]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, 1e-5), [randn(4, 300), randn(300), randn(300)]),
    "rms_norm": (lambda x, w: F.rms_norm(x, x.shape[-1:], w, 1e-6), [randn(2, 3, 300), randn(300)]),
    "cross_entropy": (
        lambda logits, target: F.cross_entropy(logits, target, reduction="none"),
        [randn(6, 700), torch.tensor([3, 699, 0, 350, -100, 12])],
    ),
    "gelu": (F.gelu, [randn(5, 200)]),
    "swiglu": (lambda a, b: F.silu(a) * b, [randn(2, 3, 300), randn(2, 3, 300)]),
    "rotary": (KERNELS.rotary_reference, [randn(2, 3, 20, 32), randn(20, 16), randn(20, 16)]),
    "attention": (KERNELS.attention_reference, [randn(2, 70, 32), randn(2, 70, 32), randn(2, 70, 32)]),
    "residual": (lambda x, r: x + r, [randn(7, 100), randn(7, 100)]),
    "quantize": (KERNELS.quantize_reference, [randn(5, 300)]),
    "cumsum": (lambda x: x.cumsum(-1), [randn(4, 300)]),
    "argmax": (lambda x: x.argmax(-1), [randn(4, 300)]),
    "top_k": (lambda x, k: tuple(torch.topk(x, k)), [randn(4, 300), 5]),
    "matmul": (torch.matmul, [randn(50, 70), randn(70, 40)]),
    "add_norm_": (KERNELS.add_norm_reference_, [randn(4, 100), randn(4, 100), randn(100)]),
    "embedding": (lambda i, w: w[i], [torch.tensor([[3, 0, 49], [7, 7, 12]]), randn(50, 24)]),
    "shared_heads": (KERNELS.shared_heads_reference, [randn(2, 4, 9, 16), randn(2, 2, 9, 16)]),
    "gated_": (KERNELS.gated_reference_, [randn(4, 100), randn(4, 100)]),
    "quantize_fp8": (KERNELS.quantize_fp8_reference, [randn(4, 150)]),
    "routing": (KERNELS.routing_reference, [randn(6, 10), 3]),
    "place_of_largest": (torch.argmax, [randn(11, 30)]),
    "segment_sums": (KERNELS.segment_sums_reference, [randn(37, 20), torch.tensor([0, 9, 26, 37])]),
    "pages_of_two": (lambda k, v, i: k[i] * v[i], [randn(5, 40), randn(5, 40), torch.tensor([4, 1, 4, 0, 3])]),
    "column_sums": (lambda x: x.sum(0), [randn(20, 70)]),
    "weighted_histogram": (KERNELS.weighted_histogram_reference, [torch.arange(90) % 17, randn(17)]),
    "relative": (lambda x: x / x.abs().amax(-1, keepdim=True), [randn(4, 100)]),
    "rms_norm_backward": (KERNELS.rms_norm_backward_reference, [randn(5, 300), randn(5, 300).flip(0), randn(300)]),
    "top_p": (KERNELS.top_p_reference, [randn(4, 200)]),
    "locked_sums": (lambda x: x.sum(0), [randn(7, 40)]),
    "two_of_many": (KERNELS.two_of_many_reference, [randn(6, 12)]),
    "described_matmul": (torch.matmul, [randn(40, 64), randn(64, 48)]),
    "scores_backward": (KERNELS.scores_backward_reference, [randn(20, 20), randn(20, 8), randn(20, 8).flip(0)]),
    "momentum_": (KERNELS.momentum_reference_, [randn(5, 30), randn(5, 30).flip(0), randn(5, 30).flip(1)]),
    "between": (lambda a, b, w: a + w * (b - a), [randn(70), randn(70).flip(0), randn(70).sin()]),
    "predicted": (KERNELS.predicted_reference, [randn(2, 6, 70), torch.arange(10).view(2, 5) * 7]),
    "pages_sums": (
        KERNELS.pages_sums_reference,
        [randn(40, 16), torch.tensor([0, 9, 26, 31]), torch.arange(31) * 7 % 31],
    ),
    "squared_relu": (lambda x: x.clamp(min=0).square(), [randn(5, 70)]),
    "sampled": (KERNELS.sampled_reference, [randn(5, 90), torch.zeros(5), torch.arange(5)]),
    "half_sums": (KERNELS.half_sums_reference, [randn(4, 50)]),
    "append_": (KERNELS.append_reference_, [randn(5, 24), randn(20, 24), torch.tensor([3, 19, -1, 0, 7])]),
    "sorted_rows": (lambda x: x.sort(-1, descending=True).values, [randn(4, 50)]),
    "combined": (KERNELS.combined_reference, [randn(16, 40), torch.arange(16) * 5 % 16, randn(16).abs(), 2]),
    "affine_backward": (lambda dy, x: ((dy * x).sum(0), dy.sum(0)), [randn(5, 30), randn(5, 30).flip(0)]),
    "capped": (lambda q, k: 20 * torch.tanh((q * k).sum(-1) / 20), [randn(5, 16), randn(5, 16).flip(0)]),
    "mean_loss": (KERNELS.mean_loss_reference, [randn(5, 30), randn(5, 30).flip(0)]),
    "largest_of_axis_1": (lambda x: tuple(x.max(1)), [randn(3, 21, 4)]),
    "code_sums": (lambda x: x.sum(-1).int(), [(torch.arange(1500) * 71 % 255 - 127).view(5, 300).to(torch.int8)]),
    "adamw_": (KERNELS.adamw_reference_, [*(randn(4, 3, 50)), 3, 1e-3]),
    "split_matmul": (torch.matmul, [randn(20, 150), randn(150, 24)]),
    "mean_by_turns": (lambda x: x.mean(0), [randn(4, 70)]),
    "counts": (KERNELS.counts_reference, [torch.arange(90) * 7 % 8]),
    "scattered": (KERNELS.scattered_reference, [torch.arange(1000) * 7 % 12, randn(1000).abs().half()]),
    "unit_step_": (KERNELS.unit_step_reference_, [randn(5, 30), randn(5, 30).flip(0), randn(5, 30).flip(1)]),
    "masked_mean": (KERNELS.masked_mean_reference, [randn(5, 30), randn(5, 30) > -1]),
    "quantize_blocks": (KERNELS.quantize_blocks_reference, [randn(5, 45)]),
    "values_backward": (KERNELS.values_backward_reference, [randn(7, 20), randn(7, 20).flip(0), randn(7, 20).flip(1)]),
    "twice": (lambda x: 2 * x, [randn(3, 100)]),
    "finite": (torch.isfinite, [randn(4, 100)]),
    "gated_sums": (KERNELS.gated_sums_reference, [randn(4, 70).sigmoid(), randn(4, 70)]),
    "paged_decode": (
        KERNELS.paged_decode_reference,
        [
            randn(3, 4, 16),
            randn(12, 8, 2, 16),
            randn(12, 8, 2, 16).flip(0),
            (torch.arange(12, dtype=torch.int32) * 5 % 12).view(3, 4),
            torch.tensor([29, 8, 17], dtype=torch.int32),
        ],
    ),
}
QUICK = {
    "softmax",
    "residual",
    "argmax",
    "shared_heads",
    "gated_",
    "locked_sums",
    "two_of_many",
    "between",
    "append_",
    "sorted_rows",
    "quantize_blocks",
    "values_backward",
    "unit_step_",
    "masked_mean",
    "code_sums",
    "adamw_",
    "counts",
    "finite",
}  # arguments of other kinds, and fast
OF_NUMBERS = {"adamw_"}  # nearly all of whose error comes from numbers of a launch in float32


def marked(names, quick):
    """The quick ones for make test, and the others for whole lists."""
    return [pytest.param(name, marks=[] if name in quick else pytest.mark.whole) for name in names]


@pytest.mark.parametrize("name", marked(INPUTS, QUICK))
def test_no_fault_is_invented_in_a_right_kernel(name):
    """Whatever is made of its inputs; and cases of most kinds ran."""
    reference, inputs = INPUTS[name]
    report = audit(getattr(KERNELS, name), reference, *inputs, gpus=(), seconds=60)

    assert report, report
    floats = {"dtype", "values", "again"} if any(t.is_floating_point() for t in inputs if torch.is_tensor(t)) else set()
    assert {"given", "size"} | floats <= report.counts.cases.keys()
    assert report.counts.used < (1 if name in OF_NUMBERS else 0.7)  # of the error that is allowed


@pytest.mark.parametrize("seed", range(6))
def test_what_cancels_is_no_fault(seed):
    """The gradient of a row of one element is nearly 0, and all of it is rounding error, in the reference as well."""
    g = torch.Generator().manual_seed(seed)
    inputs = [torch.randn(shape, generator=g) for shape in ((1, 1), (1, 1), (1,))]
    report = audit(KERNELS.rms_norm_backward, KERNELS.rms_norm_backward_reference, *inputs, gpus=(), seed=seed)

    assert report, report


@pytest.mark.parametrize("name", marked(WRONG, {name for name, each in WRONG.items() if each.get("quick")}))
def test_a_planted_fault_is_found_with_its_sentence_and_line(name, tmp_path):
    """Its section, words of the sentence, and a line of the kernel as its file has it."""
    planted = WRONG[name]
    assert planted["old"] in TEXT
    edited = TEXT.replace(planted["old"], planted["new"], 1)
    (tmp_path / f"{name}.py").write_text(edited, encoding="utf-8")
    reference, inputs = INPUTS[planted["function"]]
    function = getattr(loaded(tmp_path / f"{name}.py"), planted["function"])
    report = audit(function, reference, *inputs, gpus=(), seconds=60)
    lines = [
        line for fault in report.of(planted["section"]) for line in fault.lines if planted["words"] in fault.sentence
    ]

    assert not report
    assert any(line.text.startswith(planted["line"]) for line in lines), report
    assert all(edited.splitlines()[line.number - 1].strip() == line.text for line in lines)


def test_a_stride_that_no_kernel_gets_is_a_note():
    """Nothing is promised of it, so it is no fault; vectors that are copied first, and matrices, are not named."""

    def weighted(x, w, s):
        x, s = x.contiguous(), s.contiguous()
        y = torch.empty_like(x)
        block = triton.next_power_of_2(x.shape[1])
        KERNELS.rms_norm_kernel[(len(x),)](y, y.stride(0), x, x.stride(0), w, x.shape[1], 1e-6, BLOCK_SIZE=block)
        return y + s

    inputs = randn(4, 50), randn(50), randn(50)
    report = audit(weighted, lambda x, w, s: F.rms_norm(x, w.shape, w, 1e-6) + s, *inputs, gpus=())

    assert report, report
    assert [note for note in report.notes if note.startswith("the stride of w is taken to be 1")]


def test_a_product_that_a_gpu_takes_in_tf32_is_a_note():
    """With the error that it has, which nobody may have meant; none where float32 is asked for."""
    reference, inputs = INPUTS["matmul"]
    report = audit(KERNELS.matmul, reference, *inputs, gpus=(), seconds=1)

    assert report, report
    assert [note for note in report.notes if note.startswith("tl.dot in matmul_kernel is not told")]


def stepped(p, g, m, v, fixes=(1 - 0.9**5, 1 - 0.999**5)):
    """AdamW whose constants stand in the function."""
    assert all(t.is_contiguous() for t in (p, g, m, v))
    grid = (triton.cdiv(p.numel(), 128),)
    KERNELS.adamw_kernel[grid](p, g, m, v, 1e-3, 0.9, 0.999, 1e-8, 0.01, *fixes, p.numel(), BLOCK=128)


def test_numbers_inside_of_both_functions_are_rounded_by_a_launch_and_that_is_a_note():
    """1 - 0.999 is right to 10^-5 only. Another number than that of the reference is a fault, and so is another eps."""

    def right(p, g, m, v):
        KERNELS.adamw_reference_(p, g, m, v, 5, 1e-3)

    def other(p, g, m, v):
        stepped(p, g, m, v, (1 - 0.9**5, 1 - 0.999**6))

    state = randn(3, 100), randn(3, 100).flip(0), randn(3, 100).flip(1), randn(3, 100).abs()
    report = audit(stepped, right, *state, gpus=(), seconds=60)

    assert report, report
    assert [note for note in report.notes if "a launch rounds" in note and "beta2" in note]
    assert report.traffic.total() == report.traffic.least()  # three tensors change, and are moved each way
    assert audit(other, right, *state, gpus=(), seconds=60).of("numbers")


def test_rows_lie_apart_also_where_what_is_stored_to_may_not():
    """A cache lies as it does, and what is stored in it is a part of something wider."""

    def append(x, cache, slots, stride):
        assert cache.is_contiguous() and x.stride(1) == 1
        n = x.shape[1]
        grid = (len(slots),)
        KERNELS.append_kernel[grid](cache, x, slots, n, stride(x), n, BLOCK=triton.next_power_of_2(n))

    x, cache, slots = INPUTS["append_"][1]
    for stride, right in ((lambda x: x.stride(0), True), (lambda x: x.shape[1], False)):
        wrong = audit(
            lambda x, cache, slots, stride=stride: append(x, cache, slots, stride),
            lambda x, cache, slots: KERNELS.append_reference_(x, cache, slots),
            *(x, cache, slots),
            gpus=(),
            seconds=60,
        )
        assert bool(wrong) is right, wrong


def test_what_comes_of_numbers_that_repeat_in_a_case_alone_is_a_note():
    """As given, no two tokens have one slot; where the cache becomes shorter than their number, some must."""
    report = audit(KERNELS.append_, *INPUTS["append_"][:1], *INPUTS["append_"][1], gpus=(), seconds=60)

    assert report, report
    assert [note for note in report.notes if "both store" in note and "numbers in slots are equal" in note]


def test_places_stay_distinct_and_multiples_stay_multiples():
    """A permutation stays one; a number of experts divides the rows."""
    x, order, weights, k = INPUTS["combined"][1]
    given = Arguments.of(KERNELS.combined, (x, order, weights, k), {})
    parts = parts_of(given, [KERNELS.combined_reference(x, order, weights, k)])

    assert parts == {16: 2}
    assert as_multiples({16: 5, 40: 7}, parts) == {16: 6, 40: 7}
    for length in (6, 32):
        made = resized(given, {16: length}, seed=0)
        assert sorted(made.leaves[1].tolist()) == [*range(length)]


def test_numbers_in_order_stay_in_order_where_an_axis_becomes_shorter():
    """Where bags begin: 15 of 25 places, and not of the 5 rows that a smaller table has."""
    idx, begins, table = torch.arange(25) % 30, torch.tensor([0, 4, 4, 15]), randn(30, 40)
    given = Arguments.of(F.embedding_bag, (idx, table, begins), {})

    made = resized(given, {30: 5}, seed=0)

    assert made.leaves[2].tolist() == [0, 4, 4, 4] and made.leaves[0].max() < 5


def test_a_number_of_tokens_stays_within_the_pages():
    """Of fewer or smaller ones, also where the reference takes what is there of a longer sequence."""
    q, k, v, pages, lengths = INPUTS["paged_decode"][1]
    q, pages = q[:, :2], pages.long()

    def reference(q, k, v, pages, lengths):
        rows = []
        for each, places, length in zip(q, pages, lengths.tolist()):
            keys, values = (t[places].flatten(0, 1)[:length] for t in (k, v))
            p = torch.softmax(torch.einsum("hd,nhd->hn", each, keys) * q.shape[-1] ** -0.5, -1)
            rows.append(torch.einsum("hn,nhd->hd", p, values))
        return torch.stack(rows)

    given = Arguments.of(KERNELS.paged_decode, (q, k, v, pages, lengths), {})
    assert resized(given, {8: 2}, seed=0).leaves[4].max() <= 2 * 4
    assert resized(given, {4: 1}, seed=0).leaves[4].max() == 8
    assert resized(given, {8: 16}, seed=0).leaves[4].tolist() == lengths.tolist()
    report = audit(KERNELS.paged_decode, reference, q, k, v, pages, lengths, gpus=(), seconds=20)
    assert report, report


def test_an_argument_that_is_changed_as_given_is_a_result_in_each_case():
    """Also where the reference leaves it as it is: zeros added to zeros."""

    def added_(p, m):
        p += m + (p.abs().sum() + m.abs().sum() == 0)

    def reference_(p, m):
        p += m

    report = audit(added_, reference_, randn(3, 20), randn(3, 20).flip(0), gpus=(), seconds=20)

    assert any("p[0, 0] is 1, expected 0" in fault.sentence for fault in report.faults), report


def test_what_a_function_raises_as_given_is_told_once():
    """And no refusal beside it: the same error for each other case says nothing new."""

    def failing(x):
        raise NotImplementedError("it was removed")

    report = audit(failing, lambda x: x, randn(3, 20), gpus=(), seconds=2)

    assert [fault.sentence for fault in report.faults] == ["interpreted, it raises NotImplementedError: it was removed"]
    assert not report.refusals


def doubled(x):
    """A function that refuses what it does not take, and is wrong nowhere."""
    assert x.is_contiguous() and x.dtype == torch.float32, "a contiguous float32 tensor, please"
    return KERNELS.residual(x, x)


@pytest.fixture
def report():
    """An audit of a right function that refuses much."""
    return audit(doubled, lambda x: 2 * x, randn(3, 20), gpus=())


def test_a_result_that_pytorch_sums_shows_the_stores_of_its_parts():
    """No kernel stores it, so the line is the one that stored what is summed, and not the name of the kernel."""

    def backward(dy, x, weight):
        dy, x, weight = (t.contiguous() for t in (dy, x, weight))
        (m, n), dx, part = x.shape, torch.empty_like(x), torch.empty(x.shape)
        KERNELS.rms_norm_backward_kernel[(m,)](dx, part, dy, x, weight, n, n, n, n, m, n, 1e-6, ROWS=1, BLOCK=64)
        return dx, 2 * part.sum(0)

    inputs = [torch.randn(shape, generator=torch.Generator().manual_seed(0)) for shape in ((4, 50), (4, 50), (50,))]
    report = audit(backward, KERNELS.rms_norm_backward_reference, *inputs, gpus=(), seconds=1)
    lines = next(fault.lines for fault in report.of("numbers") if "result 1[" in fault.sentence)

    assert [line.text for line in lines] == ["tl.store(part_ptr + pid * part_stride + cols, dw, mask=mask)"]


def test_what_a_function_refuses_is_no_fault(report):
    """It is told, with the error and some of the cases."""
    assert report
    assert "AssertionError: a contiguous float32 tensor, please" in report.refusals
    assert "refuses rows with gaps between them" in repr(report)
    report.raise_for_faults()


def test_the_seed_repeats_an_audit(report):
    """All but the time that it took."""
    again = audit(doubled, lambda x: 2 * x, randn(3, 20), gpus=())

    assert again == report


def test_bytes_are_counted_by_tensor(report):
    """x + x reads x twice, and the result is as large as x."""
    x, result = report.traffic.tensors

    assert (x.name, x.read, x.written, result.name, result.read, result.written) == ("x", 480, 0, "result", 0, 240)
    assert (report.traffic.total(), report.traffic.least()) == (720, 480)


def test_a_reference_with_numbers_of_its_own_need_not_take_float64(report):
    """It computes in its own precision then, and the report says so."""
    two = torch.full((20, 20), 0.0).fill_diagonal_(2.0)
    found = audit(doubled, lambda x: x @ two[: x.shape[1], : x.shape[1]], randn(3, 20), gpus=(), seconds=1)

    assert found and "the reference in float64" in repr(found)


def test_an_argument_that_is_returned_is_told_once():
    """It is a result, and an argument that the reference changes too: one fault, not two."""
    x, gate = randn(3, 20), randn(3, 20)
    found = audit(KERNELS.gated_, lambda x, gate: x.mul_(torch.sigmoid(gate)), x, gate, gpus=())

    assert len(found.of("numbers")) == 1, found


def halved(x):
    """A wrong function without a kernel."""
    return x / 2


def test_a_fault_raises_and_is_written_as_html_junit_and_json():
    """The same fault in all of them; what an audit found is true for pytest, too."""
    found = audit(halved, lambda x: 2 * x, randn(3, 20), gpus=())
    suites = ElementTree.fromstring(junit(found))
    (fault,) = json.loads(as_json(found))["faults"]

    with pytest.raises(FaultsFound, match="expected") as caught:
        found.raise_for_faults()
    assert caught.traceback[-1].ishidden(caught)  # pytest shows the line of the test
    assert suites.get("failures") == "1"
    assert suites.find(".//failure").get("message") == fault["sentence"] == found.faults[0].sentence
    assert fault["sentence"] in found._repr_html_()


def test_a_report_is_said_in_the_language_in_use():
    """With the same numbers."""
    found = audit(halved, lambda x: 2 * x, randn(3, 20), gpus=())
    with language.speaking("zh"):
        text = repr(found)

    assert "expected" not in text and found.faults[0].case in text


def test_a_kernel_is_audited_with_its_grid():
    """Its sizes stay, and the reference changes the same argument."""

    def right(x, r, y, n):
        y.copy_(x + r)

    x, r, y = randn(5, 40), randn(5, 40), torch.zeros(5, 40)
    found = audit(KERNELS.add_kernel, right, x, r, y, 200, grid=(2,), gpus=(), BLOCK=128)

    assert found and "size" not in found.counts.cases
    assert not audit(KERNELS.add_kernel, right, x, r, y, 200, grid=(1,), gpus=(), BLOCK=128)


def test_a_kernel_whose_grid_is_a_function_gets_other_sizes():
    """The numbers of its arguments go with them; one that may be anything keeps them as they are."""

    def copied(x, y, n, stride):
        y.copy_(x)

    def grid(meta):
        return (triton.cdiv(meta["n"], 16),)

    x, y = randn(4, 40), torch.zeros(4, 40)
    right = audit(KERNELS.copy_kernel, copied, x, y, 160, 40, grid=grid, gpus=(), BLOCK=16)
    wrong = audit(KERNELS.copy_kernel, copied, x, y, 160, 40, grid=lambda meta: (meta["n"] // 16,), gpus=(), BLOCK=16)
    other = audit(KERNELS.copy_kernel, copied, x, y, 160, 77, grid=grid, gpus=(), BLOCK=16)

    assert right and right.counts.cases["size"] > 3, right
    assert "expected" in wrong.of("numbers")[0].sentence and "as given" not in wrong.of("numbers")[0].case
    assert other and "size" not in other.counts.cases and "other sizes" in repr(other)


def test_a_grid_of_two_axes_is_a_function_too():
    """It gets the numbers of the launch, as on a GPU, and gives numbers."""

    def scaled(x, s, y, m, n):
        y.copy_(x * s[:, None])

    def grid(meta):
        return triton.cdiv(meta["m"], meta["ROWS"]), triton.cdiv(meta["n"], meta["BLOCK"])

    arguments = randn(37, 50), randn(37), torch.zeros(37, 50), 37, 50
    right = audit(KERNELS.scaled_kernel, scaled, *arguments, grid=grid, gpus=(), ROWS=16, BLOCK=32)
    short = audit(KERNELS.scaled_kernel, scaled, *arguments, grid=(3, 1), gpus=(), ROWS=16, BLOCK=32)

    assert right and right.counts.cases["size"] > 3, right
    assert "row 0" in repr(short) or "[0, 32]" in short.faults[0].sentence


def test_what_a_kernel_stores_is_its_result_also_where_it_changes_nothing():
    """The sum of zeros, in a vector of one zero; the reference has a number."""
    arguments = randn(1000), randn(1000).flip(0), torch.zeros(1), 1000

    def reference(a, b, out, n):
        return (a * b).sum()

    right = audit(KERNELS.dot_kernel, reference, *arguments, grid=(8,), gpus=(), BLOCK=128)
    wrong = audit(KERNELS.dot_kernel, reference, *arguments, grid=(7,), gpus=(), BLOCK=128)

    assert right, right
    assert [fault.sentence.split(",")[0].split(" is ")[0] for fault in wrong.faults] == ["out_ptr"]


def test_a_function_in_place_need_not_return_what_its_reference_returns():
    """The argument that both change is the result; one that is left as it was is wrong."""
    arguments = randn(4, 300), randn(4, 300)

    def gated(x, gate):
        KERNELS.gated_(x, gate)

    def nothing(x, gate):
        pass

    right = audit(gated, KERNELS.gated_reference_, *arguments, gpus=())
    wrong = audit(nothing, KERNELS.gated_reference_, *arguments, gpus=())

    assert right, right
    assert [fault.sentence.partition("[")[0] for fault in wrong.faults] == ["x"]


def test_a_reference_that_fails_is_no_report():
    """Nothing was audited then; nor for a GPU that nobody knows."""
    with pytest.raises(CannotAudit, match="the reference fails"):
        audit(halved, torch.linalg.cholesky, randn(3, 20))
    with pytest.raises(CannotAudit, match="returns no tensor"):
        audit(halved, lambda x: None, randn(3, 20))
    with pytest.raises(CannotAudit, match="are the most"):
        audit(halved, halved, torch.zeros(1).expand(1 << 26))
    with pytest.raises(CannotAudit, match="leaves no time"):
        audit(halved, halved, randn(3, 20), seconds=-1)
    assert "memory     nothing to look at: it launched no Triton kernel" in repr(
        audit(halved, halved, randn(3, 20), gpus=())
    )
    with pytest.raises(CannotAudit, match="no GPU 'T5'"):
        audit(halved, halved, randn(3, 20), gpus=["T5"])


def test_an_audit_ends_in_time_in_the_middle_of_a_kernel():
    """And it says what it has not reached."""

    def forever(x):
        while x.numel() > 60:
            pass
        return x / 2

    found = audit(forever, halved, randn(3, 20), gpus=(), seconds=0.5)

    assert "the rest of the cases" in repr(found)
    assert grader.audit is audit


def test_the_pages_show_what_the_audit_says_of_their_kernel(tmp_path, monkeypatch, capsys):
    """Of a fault that public projects have had; and the cure that the page names is one."""
    pages = ["README.md", "README.zh.md", "docs/audit.md", "docs/zh/audit.md"]
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in pages]
    kernel = re.search(r"```python\n(import torch\nimport triton\n.*?)```", texts[2], re.DOTALL)[1]
    shown = [re.search(r"```\n((?:rms_norm against .*?\n\n)?✗ memory: .*?)```", text, re.DOTALL)[1] for text in texts]
    (asked,) = {re.search(r"python -m grader (audit rms_norm.*)", text)[1] for text in texts}
    cured = kernel.replace("row = tl.program_id(0)\n", "row = tl.program_id(0).to(tl.int64)\n")
    monkeypatch.chdir(tmp_path)
    for edited, status in ((kernel, 1), (cured, 0)):
        (tmp_path / "rms_norm.py").write_text(edited, encoding="utf-8")
        assert command.main([*shlex.split(asked), "--gpus", "", "--lang", "en"]) == status
    printed = capsys.readouterr().out

    assert [page for page, lines in zip(pages, shown) if lines not in printed] == []


@pytest.mark.parametrize(
    ("tensor", "kind"),
    [
        (randn(3, 20).to_sparse(), "sparse"),
        (torch.empty(3, 20, device="meta"), "meta"),
        (randn(3, 20).to(torch.complex64), "complex"),
    ],
)
def test_of_some_tensors_no_cases_can_be_made(tensor, kind):
    """They are named, and what kind they are of."""
    with pytest.raises(CannotAudit, match=f"x is a {kind} tensor"):
        audit(halved, lambda x: x / 2, tensor)


def test_a_triton_that_fails_is_a_sentence(monkeypatch):
    """With the error that it has."""
    monkeypatch.setitem(sys.modules, "triton", None)
    with pytest.raises(CannotAudit, match="Triton cannot be imported: ModuleNotFoundError"):
        audit(halved, halved, randn(3, 20))


def test_one_is_said_as_one():
    """A case, a fault, a tensor; and a call without a tensor has no sizes to name."""

    def both(x):
        return x / 2, x

    failing = audit(lambda x: x.nothing, halved, randn(3, 20), gpus=())
    number = audit(lambda n: torch.ones(n), torch.ones, 5, gpus=())

    assert "1 fault, in 1 case\n" in repr(failing)
    assert "no fault in 1 case\n" in repr(number) and "counted with" not in repr(number)
    assert "it returns 1 tensor, and the reference 2 tensors" in repr(audit(halved, both, randn(3, 20), gpus=()))
    assert "it returns no tensor, and the reference 1 tensor" in repr(
        audit(lambda x: "text", halved, randn(3, 20), gpus=())
    )


def test_atomics_that_add_in_half_precision_are_noted():
    """A larger error is allowed for them; none where the kernel adds in float32."""
    reference, inputs = INPUTS["scattered"]

    assert "atomics add to result in half precision" in repr(audit(KERNELS.scattered, reference, *inputs, gpus=()))
    report = audit(KERNELS.weighted_histogram, *INPUTS["weighted_histogram"][:1], *INPUTS["weighted_histogram"][1])
    assert "in half precision" not in repr(report)


@pytest.mark.whole
def test_the_compiler_is_asked_while_the_cases_run(tmp_path):
    """For every GPU that is named; and what only an interpreter takes is a fault."""
    reference, inputs = INPUTS["residual"]
    right = audit(KERNELS.residual, reference, *inputs, gpus=("T4", "MI300X"), seconds=60)
    edited = TEXT.replace(
        "tl.store(y_ptr + offsets, x + r, mask=mask)", "tl.store(y_ptr + offsets, x.to(float) + r, mask=mask)"
    )
    (tmp_path / "refused.py").write_text(edited, encoding="utf-8")
    refused = audit(loaded(tmp_path / "refused.py").residual, reference, *inputs, gpus=("T4",), seconds=60)

    assert right and "loads, bytes per thread" in repr(right)
    assert refused.of("compiler"), refused


def run(*arguments) -> int:
    """The exit status of the command."""
    return command.main(["audit", *map(str, arguments), "--gpus", ""])


def test_the_command_has_an_exit_status_and_writes_files(tmp_path, capsys):
    """0 without a fault, 1 with one, 2 for a usage error, which is a sentence."""
    file = tmp_path / "mine.py"
    file.write_text(
        "import torch\ndef half(x, of=2.0):\n    return x / of\ndef right(x):\n    return x * 0.5\n", encoding="utf-8"
    )
    asked = "--inputs", "randn(3, 20)", "--junit", tmp_path / "j.xml", "--json", tmp_path / "j.json"

    assert run(f"{file}::half", "--against", "right", *asked) == 0
    assert run(f"{file}::half", "--against", "torch.mul(x, 0.5)", *asked) == 0
    assert run(f"{file}::half", "--against", "x / of", *asked) == 0  # with the default of the function
    (tmp_path / "truth.py").write_text("def right(x):\n    return x / 2\n", encoding="utf-8")
    for where in (file, tmp_path / "truth.py"):
        assert run(f"{file}::half", "--against", f"{where}::right", *asked) == 0
    assert run(f"{file}::half", "--against", "x[::1] / of", *asked) == 0
    assert run(f"{file}::half", "--against", "torch.neg", *asked) == 1
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("failures") == "1"
    assert json.loads((tmp_path / "j.json").read_text(encoding="utf-8"))["reference"] == "torch.neg"
    capsys.readouterr()
    for wrong in ("no such::half", f"{file}::third", f"{file}", "::half"):
        assert run(wrong, "--against", "right", *asked) == 2
    assert run(f"{file}::half", "--against", f"{file}::third", *asked) == 2
    assert run(f"{file}::half", "--against", "x +", *asked) == 2
    for inputs in ("randm(3)", "", "randn(3", "exit()"):
        assert run(f"{file}::half", "--against", "right", "--inputs", inputs) == 2
    (tmp_path / "ends.py").write_text("raise SystemExit(0)", encoding="utf-8")
    assert run(tmp_path / "ends.py::half", "--against", "right", *asked) == 2
    assert run(FOLDER / "kernels.py::add_kernel", "--against", "torch.add", *asked) == 2
    assert capsys.readouterr().err.count("Nothing audited: ") == 12


def test_a_usage_error_names_what_is_wrong(tmp_path, capsys):
    """A file that is missing, a name beside the right one, inputs that the function does not take."""
    file = tmp_path / "mine.py"
    file.write_text("import torch\ndef half(x, *, of=2.0):\n    return x / of\n", encoding="utf-8")
    given = "--against", "torch.linalg.cholesky", "--inputs"
    told = {
        ("missing.py::half", *given, "randn(3)"): "Nothing audited: there is no file missing.py",
        (f"{file}::hafl", *given, "randn(3)"): f"Nothing audited: {file} has no function hafl; half is one",
        (f"{file}::half", *given, "randn(3), randn(3)"): "half(x, *, of=2.0) does not take 2 inputs: too many",
        (f"{file}::half", *given, "randn(3)"): "must have at least 2 dimensions.",
    }
    for asked, sentence in told.items():
        assert run(*asked) == 2
        printed = capsys.readouterr().err.strip()
        assert sentence in printed and not printed.endswith("..") and "\n" not in printed


def test_an_expression_knows_parameters_of_every_kind(tmp_path, capsys):
    """Those by keyword with their defaults, those of a module's forward, and those of a lambda."""
    file = tmp_path / "several.py"
    file.write_text(
        "import torch\ndef half(x, *more, of=2.0):\n    return x / of\n"
        "class Half(torch.nn.Module):\n    def forward(self, input):\n        return input / 2\nmodule = Half()\n",
        encoding="utf-8",
    )
    for name, reference in (("half", "x / of"), ("module", "input / 2"), ("half", "lambda x: x / 2")):
        assert run(f"{file}::{name}", "--against", reference, "--inputs", "randn(3, 20)") == 0, capsys.readouterr()
