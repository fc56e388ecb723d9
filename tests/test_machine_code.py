"""machine_code(kernel, ...): what it says of a kernel on GPUs that are not here; the compiler's tools agree."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import re
import subprocess
import sys

import pytest
import torch
import triton
import triton.language as tl
from conftest import ROOT

import grader
from grader import environment
from grader.compiler.targets import TARGETS
from grader.interpreter import KernelMisuse
from grader.reference import residency

NVIDIA = ["T4", "A100", "H100", "B200"]


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def doubled(x):
    return x + x


@triton.jit
def double_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr, FACTOR: tl.constexpr = 1):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, doubled(x) * FACTOR)


@triton.jit
def unknown_name_kernel(y_ptr, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BLOCK), nothing_of_this_name)  # noqa: F821


def softmax(x, n=None, block=1024, **more):
    y = torch.empty_like(x)
    return grader.machine_code(
        softmax_kernel, y, x, y.stride(0), x.stride(0), n or x.shape[1], BLOCK=block, grid=(len(x),), **more
    )


@pytest.fixture(scope="module")
def everywhere():
    return softmax(torch.zeros(64, 1008), gpu=[*TARGETS])


def test_every_gpu_has_its_column(everywhere):
    """All numbers of the table are there for each of the six, and none of them is an error."""
    assert [*TARGETS] == [column.call["GPU"] for column in everywhere.columns]
    for column in everywhere.columns:
        assert column.error is None
        assert column.spills == 0 and 0 < column.registers < 256 and 0 < column.shared <= 1024
        assert column.launched == 64 and 0 < column.programs < column.at_once
        assert {16} == {*column.loads} == {*column.stores}
        assert min(column.shuffles, column.barriers, column.special) > 0


def test_nvidias_numbers_are_those_of_its_tools(everywhere):
    """The registers of cuobjdump, and as many shuffles, barriers and exponentials as PTX asks for."""
    for column in everywhere.columns[:3]:
        assert column.ptx.count("shfl.sync") == column.shuffles
        assert len(re.findall(r"\bbar(rier)?\.sync", column.ptx)) == column.barriers
        assert column.ptx.count("ex2.approx") < column.special
        assert sum(column.loads.values()) == len(re.findall(r"\bLDG\b", column.assembly))


def test_amds_numbers_are_those_of_llvm(everywhere):
    """Its metadata, and the waves that LLVM says fit beside each other in a quarter of a multiprocessor."""
    for column in everywhere.columns[4:]:
        card = residency.CARDS[column.call["GPU"]]
        waves = int(re.search(r"; Occupancy: (\d+)", column.assembly)[1])

        assert re.search(rf"\.vgpr_count:\s+{column.registers}\b", column.assembly)
        assert waves == column.programs * 4 // card["register_parts"]


@pytest.mark.whole
def test_a_kernel_that_spills_is_told_so(tmp_path):
    """Registers and spills are those that ptxas says of the same PTX. A spill is counted in units of 4 bytes."""
    found = softmax(torch.zeros(1, 8192), block=8192, num_warps=1, gpu="A100")
    (column,) = found.columns
    tool = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "ptxas")
    (tmp_path / "kernel.ptx").write_text(column.ptx)
    command = [tool, "-v", "-lineinfo", "--gpu-name=sm_80", tmp_path / "kernel.ptx", "-o", tmp_path / "kernel.cubin"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr

    assert int(re.search(r"Used (\d+) registers", said)[1]) == column.registers
    assert int(re.search(r"(\d+) bytes stack frame", said)[1]) == 4 * column.spills > 0
    assert repr(found).splitlines()[-1].startswith("spills: softmax_kernel on A100, 1 warp: ")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("x", "widths"),
    [
        (torch.zeros(4, 1008), {16}),
        (torch.zeros(4, 1007), {4}),  # the second row begins anywhere
        (torch.zeros(4 * 1008 + 1)[1:].view(4, 1008), {4}),  # the first one does
        (torch.zeros(4, 1008, dtype=torch.bfloat16), {16}),
        (torch.zeros(4, 1007, dtype=torch.bfloat16), {2}),
    ],
)
def test_loads_are_as_wide_as_addresses_and_lengths_allow(x, widths):
    """As Triton's launcher specialises a kernel: by addresses and integers that 16 divides."""
    for column in softmax(x, gpu=["H100", "RX 7900"]).columns:
        assert widths == {*column.loads}


def test_an_integer_of_one_is_a_constant():
    """A stride of 1 costs no register and no multiplication."""
    (column,) = softmax(torch.zeros(1, 1), block=16).columns

    assert "y_row_stride" not in column.ttir


@pytest.mark.whole
def test_warps_and_gpus_give_a_column_each():
    """More warps exchange more values; one warp needs no barrier."""
    found = softmax(torch.zeros(4, 1000), gpu=["T4", "H100"], num_warps=[1, 4, 8]).columns

    assert [(c.call["GPU"], c.call["warps"]) for c in found[:3]] == [("T4", "1"), ("T4", "4"), ("T4", "8")]
    assert [10, 14, 16] == [c.shuffles for c in found[:3]] == [c.shuffles for c in found[3:]]
    assert found[0].barriers == 0 < found[1].barriers


@pytest.mark.whole
def test_two_tables_side_by_side_say_what_differs():
    """Only what is not the same in all columns stands in the head, besides GPU and warps."""
    x = torch.zeros(4, 1008)
    both = softmax(x) + softmax(x.bfloat16())
    rows = [re.split(r"  +", line) for line in repr(both).splitlines()]

    assert [row[0] for row in rows[:5]] == ["GPU", "warps", "y_ptr", "x_ptr", "registers per thread"]
    assert rows[3] == ["x_ptr", "float32", "bfloat16"]


def test_instructions_stand_beside_the_lines_that_they_came_from(everywhere):
    """Also those of functions of Triton's, which stand beside the line that called them."""
    for column in everywhere.columns:
        loads = {line for line, code in column.listing if re.search(r"LDG|(buffer|global)_load", code)}
        stores = {line for line, code in column.listing if re.search(r"STG|(buffer|global)_store", code)}
        crossing = [line for line, code in column.listing if re.search(r"SHFL|REDUX|_dpp", code)]

        assert all(line.strip().startswith("x = tl.load") for line in loads) and len(loads) == 1
        assert all(line.strip().startswith("tl.store") for line in stores) and len(stores) == 1
        assert any("tl.max" in line for line in crossing) and any("tl.sum" in line for line in crossing)
        assert column.lines().count("\n") == len(column.listing) - 1


def test_functions_of_the_kernel_and_its_defaults_travel_with_it():
    """A line of a helper is shown as the helper's."""
    x = torch.zeros(64)
    (column,) = grader.machine_code(double_kernel, x, x, BLOCK=64, FACTOR=3).columns

    assert any("return x + x" in line for line, _ in column.listing)
    assert column.launched is None


def test_the_html_says_the_same_and_folds_the_code(everywhere):
    """A table with heads of rows and columns; each machine code is folded, and so is one TTIR of each maker."""
    page = everywhere._repr_mimebundle_()["text/html"]

    assert repr(everywhere) == everywhere._repr_mimebundle_()["text/plain"]
    assert page.count('<th scope="row"') == len(repr(everywhere).splitlines())
    assert page.count("<summary>Machine code of") == 6 and 1 <= page.count("<summary>TTIR of") <= 6
    assert "cols < n_cols" not in page and "cols &lt; n_cols" in page
    assert page.count("<details>") == page.count("</details>")


X = torch.zeros(4, 16)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: grader.machine_code(3), "takes a kernel and then the arguments"),
        (lambda: grader.machine_code(softmax), "softmax is a function without @triton.jit"),
        (lambda: softmax(X, gpu="H2000"), "knows no GPU 'H2000': choose among T4"),
        (lambda: softmax(X, gpu=[]), "an empty list"),
        (lambda: softmax(X, num_warps=3), "a power of two, such as 1, 4 or 8, and not 3"),
        (lambda: grader.machine_code(double_kernel, X), "missing 2 required positional arguments"),
        (lambda: grader.machine_code(double_kernel, X, X, BLOCK=16, SIZE=3), "has no parameter 'SIZE'"),
        (lambda: grader.machine_code(double_kernel, X, X, BLOCK=16, grid=4), "the grid of a launch is a tuple"),
        (lambda: grader.machine_code(double_kernel, X, "x", BLOCK=16), "no machine code of double_kernel: "),
        (lambda: grader.machine_code(double_kernel, X, [X], BLOCK=16), "one argument of this launch is a list"),
        (lambda: softmax(X, block=15), "arange's range must be a power of 2, in the line `row, cols ="),
        (lambda: grader.machine_code(unknown_name_kernel, X, BLOCK=16), "nothing_of_this_name"),
    ],
)
def test_a_call_that_cannot_be_gets_one_sentence(call, says):
    """And no traceback of Triton's."""
    with pytest.raises(KernelMisuse) as caught:
        call()

    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_without_triton_a_sentence_says_where_it_runs(monkeypatch):
    """As on macOS."""
    monkeypatch.setattr(environment, "without_triton", lambda: "Triton has no package for macOS")

    with pytest.raises(KernelMisuse, match="needs Triton's compiler. Triton has no package for macOS"):
        softmax(X)


def test_the_gpu_of_a_machine_without_one(monkeypatch):
    """ "here" is refused in one sentence."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    with pytest.raises(KernelMisuse, match="this machine has no GPU"):
        softmax(X, gpu="here")


@pytest.mark.whole
def test_a_gpu_that_this_triton_does_not_know_is_named_below_the_others(monkeypatch):
    """The other columns keep their numbers."""
    monkeypatch.setitem(TARGETS, "older", ("cuda", 10, 32))
    found = softmax(X, block=16, gpu=["T4", "older"])

    assert found.columns[0].registers > 0
    assert f"Triton {triton.__version__} does not compile it for older: " in repr(found).splitlines()[-1]
    assert "Triton" in found._repr_mimebundle_()["text/html"]


def test_a_missing_tool_is_named():
    """Some packages of Triton have no nvdisasm."""
    code = "from grader.compiler import sass; sass.tool('nvnothing')"
    variables = os.environ | {"TRITON_INTERPRET": "0", "FIVE_PASSES_WORKER": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, capture_output=True, text=True)

    assert "this package of Triton" in done.stderr and "has no nvnothing" in done.stderr


def test_the_process_that_compiles_does_without_pytorch():
    """Its import takes longer than six compilations."""
    code = "import sys, grader.compiler.compile; sys.exit('torch' in sys.modules)"
    variables = os.environ | {"TRITON_INTERPRET": "0", "FIVE_PASSES_WORKER": "1"}

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables).returncode == 0


@pytest.mark.parametrize(
    ("card", "kernel", "want"),
    [
        ("T4", (26, 16, 4), (8, ["threads"])),
        ("T4", (26, 0, 1), (16, ["programs"])),
        ("H100", (33, 16, 4), (12, ["registers"])),
        ("H100", (80, 0, 1), (24, ["registers"])),  # six warps in each part, though 25 would fit without parts
        ("H100", (16, 49152, 4), (4, ["shared"])),
        ("H100", (16, 75 << 10, 4), (3, ["shared"])),  # 76 KB with what each program costs
        ("A100", (16, 163 << 10, 4), (1, ["shared"])),
        ("MI300X", (396, 0, 1), (4, ["registers"])),
        ("RX 7900", (256, 0, 1), (20, ["registers"])),
    ],
)
def test_programs_that_fit_on_a_multiprocessor(card, kernel, want):
    """By the tables of the makers, with the parts of the registers and the reserved memory."""
    assert want == residency.of_multiprocessor(residency.CARDS[card], *kernel)


def test_another_gpu_of_nvidia_gets_its_places():
    """The GPU of a machine is known by what PyTorch reports."""
    assert residency.CARDS["H100"] == residency.of_nvidia(132, (9, 0), 233472, 2048)
    assert residency.CARDS["T4"] == residency.of_nvidia(40, (7, 5), 65536, 1024)
    assert residency.DEVICES["RTX 4090"].items() <= residency.of_nvidia(128, (8, 9), 102400, 1536).items()
