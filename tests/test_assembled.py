"""The machine code of an answer's launches, by which exercise 10.4 is judged."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import inspect

import pytest
import torch
import triton
import triton.language as tl
from conftest import stored

from grader import gpus, lessons, machine_code
from grader.compiler import launched, sass
from grader.interpreter import launch_args
from grader.judge import compiled, zygotes
from grader.judge.extract import extract
from grader.judge.judge import judge
from grader.judge.time_limit import TimeLimit
from grader.reference import wide_loads
from grader.spec import Call, Case, Evidence


@triton.jit
def copy_kernel(y_ptr, x_ptr, x_row_stride, n_cols, SCALE, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * x_row_stride + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + tl.program_id(0) * BLOCK + cols, x.to(tl.float32) * SCALE, mask=cols < n_cols)


SOURCE = "import triton\nimport triton.language as tl\n\n\n" + inspect.getsource(copy_kernel.fn)


def recorded(*calls):
    """(launch, text of its program) of interpreted launches. calls: (x, keyword arguments)."""
    with zygotes.get().open(SOURCE, 60, apart=True) as session:
        found = []
        for x, options in calls:
            args = (torch.empty(len(x), 256, dtype=x.dtype), x, x.stride(0), x.shape[1], 0.5)
            evidence = session.run(Call("launch", "copy_kernel", args, {"BLOCK": 256, **options}, (len(x),)))
            assert evidence.error is None, evidence.error
            found.append((evidence.launches[0], evidence.programs[0]))
        return found


X = torch.ones(4, 256)
LAUNCHES = {
    "as wide as can be": (X, 1),
    "two warps of float32": (X, 2),
    "more threads than elements": (X, 16),
    "half": (X.bfloat16(), 1),
    "odd rows": (torch.ones(4, 255), 1),
    "an address that 16 does not divide": (torch.ones(4, 272)[:, 4:260], 1),
    "a stride that 16 does not divide": (torch.ones(4, 264)[:, :256], 1),
    "an integer of one": (torch.ones(4, 1), 1),
}


@pytest.fixture(scope="module")
def machines():
    """{label: (what the judge reads, the column of machine_code)} of every launch."""
    kept = recorded(*((x, {"num_warps": warps}) for x, warps in LAUNCHES.values()))
    with zygotes.get("compiled").open("", 200, assembles=True) as session:
        judged = [session.assemble(*each) for each in kept]
    columns = [
        machine_code(copy_kernel, torch.empty(len(x), 256, dtype=x.dtype), x, x.stride(0), x.shape[1], 0.5,
                     BLOCK=256, gpu=gpus.JUDGED.name, num_warps=warps).columns[0]
        for x, warps in LAUNCHES.values()
    ]  # fmt: skip
    return dict(zip(LAUNCHES, zip(judged, columns)))


@pytest.mark.whole  # sixteen compilations
@pytest.mark.parametrize("label", LAUNCHES)
def test_the_judge_reads_the_numbers_of_machine_code(machines, label):
    """The launch that a device recorded is compiled as if it were made: dtypes, constants, warps, what 16 divides."""
    judged, column = machines[label]

    assert {str(size) for size in column.loads} == {*judged["loads"]}  # an assembler drops loads that no lane takes
    assert column.spills == judged["spills"]


@pytest.mark.whole
def test_loads_differ_as_the_launches_do(machines):
    """Else the test above would compare the same launch eight times."""
    widest = {label: max(map(int, judged["loads"])) for label, (judged, _) in machines.items()}

    assert [*widest.values()][:5] == [16, 16, 4, 16, 4]
    assert widest["a stride that 16 does not divide"] == 4


@pytest.mark.parametrize(
    "value, divisor",
    [(1, 0), (16, 16), (48, 16), (24, 8), (0, 16), (-7, 1), (True, None), (2.0, None), (None, None)],
    ids=repr,
)
def test_what_triton_looks_at_in_a_number(value, divisor):
    """1 and multiples of 16 are compiled for; a truth value and a float are not looked at."""
    assert divisor == launch_args.divisor(value)


def test_memory_begins_at_a_multiple_of_16():
    """Whatever address a tensor has on the CPU, only its offset counts."""
    x = torch.ones(64, dtype=torch.bfloat16)

    assert [launch_args.divisor(x[first:]) for first in (0, 1, 4, 8)] == [16, 2, 8, 16]


def test_a_launch_is_compiled_once(monkeypatch):
    """A second answer with the same launch costs nothing; a launch of another length is another one."""
    asked = []
    monkeypatch.setattr(compiled, "_assembled", {})
    monkeypatch.setattr(
        zygotes.Session, "assemble", lambda self, launch, program: asked.append(launch) or {"loads": {}, "spills": 0}
    )
    kept = recorded((X, {}), (X, {}), (torch.ones(4, 255), {}))
    case = Case("a copy", Call("value", "x"), verify=lambda e: None, machine=lambda launches: None)
    for launch, program in kept:
        assert compiled.assemble([(case, Evidence(launches=[launch], programs=[program]))], TimeLimit(30), []) == []

    assert [launch["divisible"]["n_cols"] for launch in asked] == [16, 1]


def test_all_launches_of_an_answer_take_one_limit_together(monkeypatch):
    """Else each case of a slow assembly would take as long as an answer may."""
    limits = []
    monkeypatch.setattr(compiled, "_assembled", {})
    monkeypatch.setattr(
        zygotes.Session, "assemble", lambda self, *launch: limits.append(self.limit) or {"loads": {}, "spills": 0}
    )
    case = Case("a copy", Call("value", "x"), verify=lambda e: None, machine=lambda launches: None)
    limit, kept = TimeLimit(30), recorded((X, {}), (torch.ones(4, 255), {}))

    assert compiled.assemble([(case, Evidence(launches=[a], programs=[b])) for a, b in kept], limit, []) == []
    assert limits == [limit, limit]


def wide():
    kept = next(each for each in stored("right") if each.name.startswith("10_wide"))
    return lessons.exercises()["10.4"], extract([kept.source], ("wide_softmax",))


def narrow():
    (kept,) = [each for each in stored("wrong") if each.name == "10.4/wide-four-warps-always"]
    return lessons.exercises()["10.4"], extract([kept.source], ("wide_softmax",))


def test_without_a_compiler_that_part_is_left_out_and_said(monkeypatch):
    """Right numbers are right on a machine whose Triton brings no assembler; the result says what was not looked at."""

    def missing(*_):
        raise zygotes.NoAssembler("this package of Triton has no nvdisasm")

    monkeypatch.setattr(compiled, "_assembled", {})
    monkeypatch.setattr(zygotes.Session, "assemble", missing)

    result = judge(*narrow())

    assert result.status == "passed"
    (said,) = result.flags
    assert said == "the machine code of the launches was not looked at: this package of Triton has no nvdisasm"


def test_a_kernel_that_the_compiler_never_finishes_has_no_points(monkeypatch):
    """Else a loop that is unrolled a million times would hide the loads of the others. The compiler is asked twice."""
    asked = []

    def late(self, launch, program):
        asked.append(self.limit.seconds)
        raise zygotes.Deadline(f"still running after {self.limit.seconds:g} seconds")

    monkeypatch.setattr(compiled, "_assembled", {})
    monkeypatch.setattr(zygotes.Session, "assemble", late)

    result = judge(*narrow(), seconds=30)

    assert (result.status, result.score, result.mistake) == ("failed", 0.0, "compiler-endless")
    assert result.message.endswith("right numbers, but Triton's compiler is still running after 90 seconds")
    assert asked == [30, 90]


def test_a_kernel_that_is_never_lowered_has_no_points(monkeypatch):
    """What holds for machine code holds for the check that every kernel gets, in the time of the answer."""

    def lower(self, program, launch, until=None):
        raise zygotes.Deadline(f"still running after {self.limit.seconds:g} seconds")

    monkeypatch.setattr(compiled, "_lowered", {})
    monkeypatch.setattr(zygotes.Session, "lower", lower)

    result = judge(*narrow(), seconds=30)

    assert (result.status, result.mistake) == ("failed", "compiler-endless")
    assert result.message.endswith(": Triton's compiler is still running after 30 seconds")


@pytest.mark.parametrize("method", ["lower", "assemble"])
def test_a_kernel_on_which_the_compiler_crashes_has_no_points(monkeypatch, method):
    """Else it would hide its loads as one does that is never finished. Another kernel shows that the compiler works."""
    asked, real = [], getattr(zygotes.Session, method)

    def crash(self, *order):
        asked.append(compiled._BLAMELESS in order)
        if asked[-1]:
            return real(self, *order)
        raise zygotes.Died("the channel was closed")

    monkeypatch.setattr(compiled, "_able", {True})
    monkeypatch.setattr(compiled, "_lowered", {})
    monkeypatch.setattr(compiled, "_assembled", {})
    monkeypatch.setattr(zygotes.Session, method, crash)

    result = judge(*narrow())

    assert (result.status, result.score, result.mistake) == ("failed", 0.0, "compiler-fails")
    assert result.message.endswith("Triton's compiler crashes on it")
    assert asked == ([False, True] if method == "lower" else [False, False, True])


def test_a_kernel_that_the_compiler_refuses_late_has_no_points(monkeypatch):
    """The front end takes it, and a later pass does not."""
    real = zygotes.Session.assemble

    def refuse(self, launch, program):
        if program != compiled._BLAMELESS:
            raise zygotes.NotCompiled("PassManager::run failed")
        return real(self, launch, program)

    monkeypatch.setattr(compiled, "_assembled", {})
    monkeypatch.setattr(zygotes.Session, "assemble", refuse)

    result = judge(*narrow())

    assert (result.status, result.score, result.mistake) == ("failed", 0.0, "compiler-fails")
    assert result.message.endswith("but Triton's compiler fails on it: PassManager::run failed")


@pytest.mark.whole
@pytest.mark.parametrize("method", ["lower", "assemble"])
def test_a_compiler_that_takes_no_kernel_is_no_fault_of_the_answer(monkeypatch, method):
    """It crashes on every kernel of this machine: the result says what was not looked at."""

    def crash(self, *order):
        raise zygotes.Died("the channel was closed")

    monkeypatch.setattr(compiled, "_able", set())
    monkeypatch.setattr(compiled, "_lowered", {})
    monkeypatch.setattr(compiled, "_assembled", {})
    monkeypatch.setattr(zygotes.Session, method, crash)

    result = judge(*narrow()) if method == "assemble" else judge(*wide())

    assert result.status == "passed"
    assert any(flag.endswith("the channel was closed") for flag in result.flags)


def test_a_compiler_that_was_there_before_leaves_no_kernel_unseen(monkeypatch):
    """Else an answer that starves the machine runs as it likes: its row is an error, which can be graded again."""

    def crash(self, *order):
        raise zygotes.Died("the channel was closed")

    monkeypatch.setattr(compiled, "_able", {True})
    monkeypatch.setattr(compiled, "_lowered", {})
    monkeypatch.setattr(zygotes.Session, "lower", crash)

    result = judge(*wide())

    assert (result.status, result.score) == ("error", 0)
    assert result.message == "not shown to Triton's compiler: the channel was closed"


def test_a_missing_tool_is_no_fault_of_the_answer(monkeypatch):
    """Some wheels of Triton have no tool that reads NVIDIA's machine code."""

    def missing(name):
        raise sass.MissingTool(f"no {name}")

    monkeypatch.setattr(launched, "admit", lambda program: None)
    monkeypatch.setattr(launched, "compile_for", lambda *_: missing("cuobjdump"))
    program = recorded((X, {}))[0][1]

    nothing = dict.fromkeys(("constants", "options", "signature", "divisible"), {})
    said = launched.assembled(nothing | {"program": program})

    assert said == {"missing": "no cuobjdump"}


LAUNCH = {"constants": {"BLOCK": 1024}, "options": {"num_warps": 8}, "widest": 1024}


@pytest.mark.parametrize(
    "columns, dtype, loads, spills, mistake",
    [
        (1024, torch.float32, {"16": 1}, 0, None),
        (1024, torch.float32, {"16": 4, "4": 1}, 0, None),
        (1024, torch.float32, {"16": 1, "4": 4}, 0, "divisibility-unknown"),
        (1024, torch.float32, {"16": 1}, 9, "spills"),
        (1024, torch.float32, {"16": 1}, 8, None),
        (1024, torch.bfloat16, {"8": 1}, 0, "loads-too-narrow"),
        (1021, torch.float32, {"4": 4}, 0, None),
        (1021, torch.float32, {"8": 4}, 0, "alignment-promised"),
        (1028, torch.float32, {"4": 4}, 0, None),
        (1028, torch.float32, {"16": 4}, 0, None),
    ],
    ids=str,
)
def test_a_row_decides_how_wide_a_load_may_be(columns, dtype, loads, spills, mistake):
    """One load of a single number among wide ones is no fault, nor are 16 bytes where only their bytes allow it."""
    machine = {"loads": loads, "spills": spills}

    found = wide_loads.machine_fault(torch.empty(1, columns, dtype=dtype), [(LAUNCH, machine)])

    assert mistake == (found and found[1])
