"""The audit: right kernels of public kinds have no fault, planted faults are found, and both sentence and line are true."""

import importlib.util
import json
import pathlib
import sys
from xml.etree import ElementTree

import pytest
import torch
import torch.nn.functional as F
from conftest import ROOT

import grader
from grader.audit.audit import CannotAudit, audit
from grader.audit.report import FaultsFound
from grader.audit.report_files import as_json, junit

FILE = ROOT / "tests" / "audited" / "kernels.py"


def loaded(text: str | None = None, folder: pathlib.Path | None = None):
    """The module of the kernels; with a text, a module of this text."""
    path = FILE if text is None else folder / "edited.py"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def randn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


KERNELS = loaded()
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
}
QUICK = {"softmax", "rms_norm", "residual", "argmax"}  # each of another shape of arguments, and the fastest


def some(names):
    """The quick ones, and the others where whole lists are tested."""
    return [pytest.param(name, marks=[] if name in QUICK else pytest.mark.whole) for name in names]


@pytest.mark.parametrize("name", some(INPUTS))
def test_no_fault_is_invented_in_a_right_kernel(name):
    """Whatever is made of its inputs; and all kinds of cases ran."""
    reference, inputs = INPUTS[name]
    report = audit(getattr(KERNELS, name), reference, *inputs, gpus=(), seconds=60)

    assert report, report
    assert {"given", "size", "dtype", "values", "empty", "again"} <= report.counts.cases.keys()


_MASKED = 'x_stride + cols, mask=mask, other=-float("inf")'
_NORM = "        x = tl.where(cols < N, x - mean, 0.0)\n"
_LAST = "    for off in range(0, N, BLOCK_SIZE):\n        cols = off + tl.arange(0, BLOCK_SIZE)\n        mask"
_COPY = "    if x.stride(-1) != 1:\n        x = x.contiguous()\n    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n    n"
_ADDED = "    tl.store(y_ptr + offsets, x + r, mask=mask)\n"
_BEFORE = "    before = tl.load(y_ptr + (offsets + BLOCK) % n, mask=mask, other=0.0)\n    tl.store(y_ptr + offsets, x + r + 0 * before, mask=mask)\n"
# what is wrong, the function, an edit of its file, the section, words of the sentence, the start of a line of the kernel
WRONG = {
    "no mask": ("softmax", (_MASKED, "x_stride + cols"), "memory", "outside of it", "x = tl.load(x_ptr"),
    "no other": ("softmax", (_MASKED, "x_stride + cols, mask=mask"), "memory", "masked lanes", "x = tl.load(x_ptr"),
    "exp without max": ("softmax", ("    x = x - tl.max(x, axis=0)\n", ""), "numbers", "is nan", "tl.store(y_ptr"),
    "int32 offsets": (
        "softmax", ("row = tl.program_id(0).to(tl.int64)", "row = tl.program_id(0)"), "memory", "before the first", "x = tl",
    ),
    "row stride": ("softmax", ("x.stride(0), n, BLOCK", "n, n, BLOCK"), "memory", "in a gap", "x = tl.load(x_ptr"),
    "column stride": ("softmax", (_COPY, _COPY[_COPY.index("    y") :]), "numbers", "expected", "tl.store(y_ptr"),
    "output row": ("softmax", ("softmax_kernel[(x.shape[0],)]", "softmax_kernel[(x.shape[0] - 1,)]"), "memory", "was never stored", "def softmax(x)"),
    "padded N": ("rms_norm", ("axis=0) / n_cols", "axis=0) / BLOCK_SIZE"), "numbers", "expected", "tl.store(Y_ptr"),
    "eps": ("rms_norm", ("mean_square + eps", "mean_square + 1e-5"), "numbers", "is allowed", "tl.store(Y_ptr"),
    "in place": ("rms_norm", ("y = torch.empty_like(x)\n    block", "y = x\n    block"), "memory", "changes its input x", "tl.store(Y_ptr"),
    "in float16": ("rms_norm", ("    X_row = X_row.to(tl.float32)\n", ""), "numbers", "expected", "tl.store(Y_ptr"),
    "pad of 0": ("argmax", ('other=-float("inf")).to(tl.float32)\n    tl.store(i', "other=0.0).to(tl.float32)\n    tl.store(i"), "numbers", "expected", "tl.store(i_ptr"),
    "stored twice": ("residual", ("tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    mask = offsets < n\n    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)\n    r", "tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK)\n    mask = offsets < n\n    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)\n    r"), "order", "both store", "tl.store(y_ptr"),
    "a race": ("residual", (_ADDED, _ADDED + _BEFORE), "order", "nothing orders", "before = tl.load"),
    "last block": ("layer_norm", (_LAST, _LAST.replace("N, B", "N // BLOCK_SIZE * BLOCK_SIZE, B")), "memory", "was never stored", "def layer_norm_kernel"),
    "padded variance": ("layer_norm", (_NORM, "        x = x - mean\n"), "numbers", "expected", "tl.store(Y"),
    "accumulator": ("matmul", ("acc = tl.dot(a, b, acc)", "acc = (acc + tl.dot(a, b)).to(a.dtype).to(tl.float32)"), "numbers", "is inf", "tl.store(c_ptr"),
    "keys": ("attention", ('        s = tl.where(offs_n[None, :] < T, s, -float("inf"))\n', ""), "numbers", "expected", "tl.store(Out"),
    "carry": ("cumsum", ("carry += tl.sum", "carry = tl.sum"), "numbers", "expected", "tl.store(y_ptr"),
    "truncated": ("quantize", ("    q = tl.where(q >= 0, tl.floor(q + 0.5), tl.ceil(q - 0.5))\n", ""), "numbers", "expected", "tl.store(q_ptr"),
    "sign": ("rotary", ("x2 * cos + x1 * sin", "x2 * cos - x1 * sin"), "numbers", "expected", "tl.store(OUT + place + D // 2"),
    "another gelu": ("gelu", ("0.5 * x * (1 + tl.erf(x * 0.7071067811865476))", "x * tl.sigmoid(1.702 * x)"), "numbers", "expected", "tl.store(y_ptr"),
}  # fmt: skip
QUICK_WRONG = {"no mask", "no other", "int32 offsets", "padded N", "in place", "stored twice", "pad of 0"}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[] if what in QUICK_WRONG else pytest.mark.whole) for what in WRONG]
)
def test_a_planted_fault_is_found_with_its_sentence_and_line(what, tmp_path):
    """Its section, what the sentence must say, and a line of the kernel as its file has it."""
    name, (old, new), section, words, line = WRONG[what]
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    module = loaded(text.replace(old, new, 1), tmp_path)
    reference, inputs = INPUTS[name]
    report = audit(getattr(module, name), reference, *inputs, gpus=(), seconds=60)
    found = [fault for fault in report.faults if fault.section == section and words in fault.sentence]

    assert not report
    assert found, report
    lines = [each for fault in found for each in fault.lines]
    assert any(each.text.startswith(line) for each in lines), report
    source = (tmp_path / "edited.py").read_text(encoding="utf-8").splitlines()
    assert all(source[each.number - 1].strip() == each.text for each in lines)
