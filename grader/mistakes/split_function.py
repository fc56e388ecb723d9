"""The mistakes that a function can meet whose programs share a row."""

from __future__ import annotations

import ast
import functools
import re

import torch

from ..checks import compare, syntax
from ..reference import splits
from ..spec import Answer, Case, Detector, Evidence
from . import detectors, split_merges
from .detectors import both, formula, outside, written
from .softmax.function import FUNCTION
from .softmax.rows import ROW_KERNEL
from .split_combine import SOFTMAX
from .split_kernels import ROWS, of_a_state, read_while_stored, right
from .split_merges import MERGE


@Detector
def _by_one_alone(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return not read_while_stored(case, evidence, answer)


@Detector
def _changed_by_several(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Two programs of a launch load the same element, and store into it."""
    who: dict[tuple, dict[str, set[int]]] = {}
    for op in ("load", "store"):
        for place, program in splits.touched(evidence, op):
            who.setdefault(place, {"load": set(), "store": set()})[op].add(program)
    return any(len(ops["load"] & ops["store"]) > 1 for ops in who.values())


@Detector
def _counted_too_early(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return splits.counted_too_early(evidence) is not None and not _plain(case, evidence, answer)


@Detector
def _wrong(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return not right(case, evidence, answer)


@Detector
def _plain(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return "atomic" not in answer.source


def _programs(test):
    """Matches by test(programs, rows, splits, launches) where the numbers are right and that of programs is not."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        if not right(case, evidence, answer):
            return False
        x, n_splits = case.facts["x"], case.facts["n_splits"]
        programs = splits.programs_over_the_row(x, evidence)
        return not splits.as_asked(programs, x, n_splits) and test(programs, len(x), n_splits, len(evidence.launches))

    return detect


def _a_launch_a_row(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    return programs < rows * n_splits and launches >= 2 * rows > 2


def _one_a_row(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    return 0 < programs <= rows


def _another_number(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    return programs > rows


def _launched_over(test):
    """Matches by test(grid, rows, splits), true of every launch, where several programs should share a row."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        x, n_splits = case.facts.get("x"), case.facts.get("n_splits", 1)
        return (
            n_splits > 1
            and bool(evidence.launches)
            and all(test(tuple(launch["grid"][:2]), len(x), n_splits) for launch in evidence.launches)
        )

    return detect


@Detector
def _row_is_axis_0(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The kernels ask for two numbers, and the first of them is called a row."""
    asked = re.findall(r"(\w+)\s*=\s*tl\.program_id\((?:axis\s*=\s*)?([01])\)", answer.source)
    return any("row" in name and axis == "0" for name, axis in asked) and any(axis == "1" for _, axis in asked)


@Detector
def _output_untouched(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Kernels ran, nothing but NaN came back, and no tensor with so many elements was stored to."""
    if not evidence.launches or not evidence.panels or not detectors.all_nan(case, evidence, answer):
        return False
    return not any(panel.op == "store" and panel.tensor.startswith("y") for panel in evidence.panels)


@Detector
def _refused_in_vain(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A ValueError of the answer's own, for an input that the exercise says it takes."""
    error = evidence.error or {}
    return not case.expects_error and "ValueError" in error.get("kinds", ()) and "raise" in error.get("line", "")


def _language_on_the_host(tree: ast.AST) -> bool:
    """A function of triton.language called outside of every kernel."""
    kernels = {id(n) for kernel in syntax.kernels(tree) for n in syntax.nodes(kernel)}
    called = {ast.unparse(n.func) for n in syntax.nodes(tree) if isinstance(n, ast.Call) and id(n) not in kernels}
    return any(name.startswith("tl.") for name in called - {"tl.constexpr"})


@Detector
def _failed(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return evidence.error is not None and not case.expects_error


@Detector
def _nan_where_a_split_is_empty(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """NaN in whole rows with a split that holds no number above -inf, and in no others."""
    x, got = case.facts.get("x"), evidence.value
    if x is None or compare.kind(got, x) is not None:
        return False
    m, _ = splits.states(x, case.facts["n_splits"], case.facts["split_size"])
    empty = (m == -torch.inf).any(1)
    return bool(empty.any() and got[empty].isnan().all() and not got[~empty].isnan().any())


@Detector
def _too_few_lanes(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Fewer lanes for the states than a row has of them."""
    lanes = (launch["constants"].get("SPLITS") for launch in evidence.launches)
    return any(isinstance(n, int) and n < case.facts.get("n_splits", 1) for n in lanes)


@Detector
def _end_never_seen(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The first columns are right, or a softmax of their own, and the others were left as they were."""
    x, got = case.facts.get("x"), evidence.value
    if x is None or not detectors.tail_is_nan(case, evidence, answer) or got.shape != x.shape:
        return False
    seen = int((~got[0].isnan()).sum())
    whole = torch.softmax(x.double(), 1).float()
    return compare.softmax(x[:, :seen], got[:, :seen]) is None or compare.alike(got[:, :seen], whole[:, :seen])


@Detector
def _one_row_finished(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """With atomics, a single row became numbers, and all others were left as they were."""
    got = evidence.value
    if _plain(case, evidence, answer) or not isinstance(got, torch.Tensor) or got.dim() != 2 or len(got) < 2:
        return False
    return int((~got.isnan()).all(1).sum()) == 1 and int(got.isnan().all(1).sum()) == len(got) - 1


@functools.partial(Detector, endless=True)
def _waits(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A kernel never ended, and has a loop until something in memory changes."""
    kernels = syntax.kernels(syntax.tree_of(answer.source))
    loops = [n for kernel in kernels for n in syntax.nodes(kernel) if isinstance(n, ast.While)]
    return not evidence.ran and any(re.search(r"tl\.(atomic_|load)", ast.unparse(loop.test)) for loop in loops)


SPLIT_FUNCTION = (
    *FUNCTION,
    ("no-kernel", Detector(lambda case, evidence, answer: evidence.error is None and not evidence.launches)),
    ("refuses-too-much", _refused_in_vain),
    ("tl-on-the-host", both(_failed, written(_language_on_the_host))),
    ("grid-without-splits", both(_wrong, _row_is_axis_0, _launched_over(lambda grid, rows, n_splits: grid[1] == 1))),
    (
        "programs-swapped",
        both(_wrong, _row_is_axis_0, _launched_over(lambda g, rows, n_splits: g == (n_splits, rows) != g[::-1])),
    ),
    ("output-not-stored", both(_plain, _output_untouched)),
    ("accumulated-without-atomics", both(detectors.shared, _changed_by_several)),
    ("counted-too-early", _counted_too_early),
    ("one-counter", _one_row_finished),
    ("waits-for-others", _waits),
    ("no-grid-barrier", both(_plain, read_while_stored)),
    ("launch-per-row", _programs(_a_launch_a_row)),
    ("one-program-a-row", _programs(_one_a_row)),
    ("n-splits-ignored", _programs(_another_number)),
    ("split-rounded-down", formula(split_merges.rounded_down)),
    ("split-rounded-down", _end_never_seen),
    ("states-left-out", _too_few_lanes),
    ("empty-split", _nan_where_a_split_is_empty),
    ("states-too-few", outside("load", of_a_state)),
    ("states-too-few", outside("store", of_a_state)),
    *MERGE,
    ("splits-overlap", both(right, detectors.shared, _by_one_alone)),
    *ROWS,
    *ROW_KERNEL,
    *SOFTMAX,
)
