"""Mistakes of a function of a matrix that launches kernels: shape and dtype, views, refusals, grids, options."""

from __future__ import annotations

import ast
import re

import torch

from ...checks import compare, syntax
from ...checks.examples import like
from ...reference.softmax_function import launch_fault, one_program_fault, warps_fault
from ...sentence import kind_of, named, said, within
from ...spec import Detector
from .. import detectors
from ..detectors import looks, opposite
from ..mistake import Mistake
from ..mutant import Mutant, several
from .columns import SOFTMAX_KERNEL, SOFTMAX_PLACES
from .rows import ROW_KERNEL, ROW_PLACES

MISTAKES = [
    # ---- input and result
    Mistake(
        "accepts-anything",
        "No ValueError was raised for an input that the function should refuse.",
        "What does your function test before it launches anything, and what does it do then?",
        Mutant("8.4", "x.dtype != torch.float32", "False", replayed=False),
    ),
    Mistake(
        "refuses-the-right-ones",
        "An input that the function must take was refused.",
        "For which inputs does your function raise, and is the input named above one of those?",
        Mutant("5.2 8.4", "x.dim() != 2", "x.dim() == 2", replayed=False),
        Mutant("5.2 8.4", "x.dtype != torch.float32", "x.dtype == torch.float32", replayed=False),
    ),
    Mistake(
        "error-not-raised",
        "Your function makes an exception and does not raise it. So the caller is not stopped.",
        "What does the caller get from that line, and which statement of Python stops the caller?",
    ),
    Mistake(
        "wrong-exception",
        "This input does not end in a ValueError that says what is wrong.",
        "Which line of yours should refuse this input, does its condition hold here, and which exception with which "
        "words does it raise?",
    ),
    Mistake(
        "output-reused",
        "The second call wrote over the first result, which the caller still holds.",
        "To whom does a result belong once it is returned, and where does the next call put its own?",
    ),
    Mistake(
        "wrong-shape",
        "The result does not have the shape of the input.",
        "Which of your tensors has that shape, and which one should the caller get?",
    ),
    Mistake(
        "wrong-dtype",
        "The result does not have the dtype of the input.",
        "Which dtype does the caller expect for an input of this dtype?",
        Mutant("5.2", "dtype=x.dtype", "dtype=torch.float64", replayed=False),
    ),
    Mistake(
        "column-stride",
        "The kernel assumes that neighbours in a row are neighbours in memory, in each matrix. In at least one of them "
        "they are not.",
        "What does stride() of each matrix say in the line before the launch, and which of them does the launch get?",
        Mutant("5.2", "x.stride(1) != 1", "False", replayed=False),
    ),
    Mistake(
        "rows-wrongly-apart",
        "The distance between rows is not the row stride of the tensor.",
        "How far apart are the beginnings of two rows, and which number do you use for that distance?",
        several(
            "5.2 8.4 9.3",
            "y.stride(0), x.stride(0)",
            "y.stride(1), x.stride(0)",
            "y.stride(0), x.stride(1)",
            "y.stride(1), x.stride(1)",
            "y.stride(0), x.size(0)",
            "y.size(0), x.stride(0)",
        ),
    ),
    Mistake(
        "stride-of-another-tensor",
        "The kernel reads a contiguous copy of x, and the launch got the row stride of x itself.",
        "Which tensor does the kernel read, and from which tensor does your code take the row stride?",
    ),
    # ---- launches
    Mistake(
        "launch-for-result",
        "The value of a launch was returned. A launch gives no tensor: the kernel stores its result in a tensor that "
        "the launch got.",
        "Into which tensor does your kernel store, and which value does your function return?",
    ),
    Mistake(
        "no-kernel",
        "No kernel was launched: all that your function did was done by PyTorch.",
        "Which kernel of yours should do the work?",
    ),
    Mistake(
        "arguments-exchanged",
        "A launch passes an argument in the place of another one.",
        "Is it the kernel that you mean, in which order does it take its parameters, and in which order does your "
        "launch pass them?",
        Mutant("9.3", "n_cols, n_splits, size, BLOCK", "n_cols, size, n_splits, BLOCK", replayed=False),
        Mutant("9.3", "partial_kernel[grid](m, d, x,", "partial_kernel[grid](x, m, d,", replayed=False),
    ),
    Mistake(
        "one-program-for-all",
        "One program did all the rows, one after the other, and no other one had any work.",
        "On how many multiprocessors of a GPU can one program run, and how many programs can one launch start?",
    ),
    Mistake(
        "launch-per-row",
        "Each row got a launch of its own.",
        "How many programs can one launch start, and how does each of them know its row?",
    ),
    Mistake(
        "bad-num-warps",
        "For num_warps Triton takes an integer that is a power of two, and a GPU allows at most 32 warps in a program.",
        "Which integers from 1 to 32 are powers of two, and what does your code give to num_warps here?",
        several("5.2", "num_warps=warps_for(block)", "num_warps=3", "num_warps=64", replayed=False),
    ),
    Mistake(
        "grid-too-small",
        "Some rows were never written: no program was launched for them.",
        "How many rows are there, and which numbers do the programs have?",
        Mutant("5.2 8.4", "[(n_rows,)]", "[(1,)]", replayed=False),
    ),
    Mistake(
        "grid-too-large",
        "More programs were launched than there are rows.",
        "Which number of the shape says how many programs you need?",
        Mutant("5.2", "[(n_rows,)]", "[(n_rows + 1,)]", replayed=False),
    ),
    Mistake(
        "grid-on-another-axis",
        "The programs were launched along another axis than the one that the kernel asks for.",
        "Which axis of the grid does tl.program_id(0) number, and along which axis are your programs?",
        Mutant("5.2 8.4", "[(n_rows,)]", "[(1, n_rows)]", replayed=False),
    ),
    Mistake(
        "grid-of-columns",
        "One program was launched for each column, not for each row.",
        "What does one program compute?",
        Mutant("5.2", "[(n_rows,)]", "[(n_cols,)]", replayed=False),
    ),
    Mistake(
        "strides-in-one-argument",
        "A launch passes all strides of a tensor for one parameter, and the kernel takes one number there.",
        "What does x.stride() return, and which of its items is the row stride?",
        Mutant("5.2", "y.stride(0), x.stride(0)", "y.stride(), x.stride()", replayed=False),
    ),
    Mistake(
        "sizes-exchanged",
        "The number of rows stands where the number of columns belongs, and the other way round.",
        "For x of shape (1, 6): which of your names holds 6?",
        Mutant("5.2", "n_rows, n_cols = x.shape", "n_cols, n_rows = x.shape", replayed=False),
    ),
    Mistake(
        "output-read-as-input",
        "The output was read in place of the input, and nothing had been stored to that memory.",
        "Which tensor does each pointer of the kernel lead to, and from which one is a row loaded?",
        Mutant("9.3", "combine_kernel[grid](y, x,", "combine_kernel[grid](y, y,", replayed=False),
        Mutant("5.2 8.4", "[(n_rows,)](y, x,", "[(n_rows,)](y, y,", replayed=False),
    ),
]


def _launch_fault(mistake: str) -> tuple[str, Detector]:
    """An entry of a table: the mistake, and the detector of a call that returned and has this fault in its launches."""

    @looks
    def detect(x, error, evidence) -> bool:
        return error is None and launch_fault(x, evidence)[0] == mistake

    return mistake, detect


@looks
def _one_program(x, error, evidence) -> bool:
    return error is None and one_program_fault(x, evidence) is not None


@looks
def _rows_with_gaps(x, value, error) -> bool:
    """The failing input has gaps between its rows, and contiguous rows. Row 0, which has no gap before it, is right."""
    if x.dim() != 2 or x.stride(1) != 1 or x.stride(0) == x.shape[1]:
        return False
    if error:
        return error["type"] == "OutOfBounds"  # any other error has a reason of its own
    return isinstance(value, torch.Tensor) and value.shape == x.shape and compare.softmax(x[:1], value[:1]) is None


@looks
def _columns_apart(x, error, source) -> bool:
    """The failing input has gaps between the elements of a row."""
    if error and error["type"] != "OutOfBounds":
        return False  # that error has a reason of its own
    apart = x.dim() == 2 and x.shape[1] > 1 and x.stride(1) != 1
    return apart and not re.search(r"\.(t_?\(|T\b|mT\b|reshape\(|view\(|transpose\(|permute\()", source)


def _programs(test) -> Detector:
    """Matches when test(programs, x) holds for the first axis of the grid of a launch."""

    @looks
    def detect(x, value, launches) -> bool:
        if isinstance(value, torch.Tensor) and value.shape != x.shape:
            return False
        return any(test(launch["grid"][0], x) for launch in launches)

    return detect


@looks
def _fewer_programs_than_rows(x, launches) -> bool:
    """A launch has programs for fewer rows than there are: for one row each, or for a tile of ROWS."""
    rows = [launch["grid"][0] * launch["constants"].get("ROWS", 1) for launch in launches]
    return min(rows, default=len(x)) < len(x)


@looks
def _on_another_axis(x, launches) -> bool:
    """Along the first axis of the grid there is one program, and along another one there are as many as rows."""
    grids = [launch["grid"] for launch in launches]
    return len(x) > 1 and any(grid[0] == 1 and len(x) in grid[1:] for grid in grids)


@looks
def _no_store_outside(error) -> bool:
    """No store left its tensor: an output has no gaps."""
    return ((error or {}).get("where") or {}).get("op") != "store"


_failed = looks(lambda error: bool(error))
_no_error = opposite(_failed)


_to_be_refused = looks(lambda refuses: refuses)


@looks
def _not_refused(x, error, case) -> bool:
    """The input has a softmax, and the answer raised no error of its own for it."""
    return not case.facts.get("refuses") and not (error or {}).get("raised")


def _sizes_exchanged(tree: ast.AST) -> bool:
    """For `written`: the two sizes of a matrix get names of the other one, as in `cols, rows = x.shape`."""
    return any(
        (one.id, other.id) in (("N", "M"), ("n", "m")) or one.id.startswith(("n_col", "col")) and "row" in other.id
        for n in syntax.nodes(tree) if isinstance(n, ast.Assign) and ast.unparse(n.value).endswith(".shape")
        for one, other in [t.elts for t in n.targets if isinstance(t, ast.Tuple) and len(t.elts) == 2]
        if isinstance(one, ast.Name) and isinstance(other, ast.Name)
    )  # fmt: skip


def _stride_for_columns(where: dict, facts: dict) -> bool:
    """For `outside`: program 0 goes on into the gap behind its row, with all lanes that the row stride lets through."""
    x = facts["x"]
    if x.dim() != 2 or where["program"][0] > 0 or x.stride(0) <= x.shape[1]:
        return False
    return where["of"] in (x.stride(0), min(x.stride(0), facts.get("block", 0)))


@looks
def _output_of_another_shape(x, error) -> bool:
    """A store left the output, which was made with another shape than that of the input."""
    place = next((each for each in within((error or {}).get("message", "")) if kind_of(each) == "outside"), "")
    if not named(place, "name").startswith("y"):
        return False
    size = named(named(place, "size"), "size") or named(place, "size")  # its strides may stand behind it
    made = named(size, "list") or named(size, "count")
    return [int(length) for length in made.split(" × ")] != list(x.shape)


_LAUNCH = "_[_](...)"


def _launch_returned(tree: ast.AST) -> bool:
    """For `written`: a function returns a launch k[grid](...), or the last value of a name, which is a launch."""
    for function in (n for n in syntax.nodes(tree) if isinstance(n, ast.FunctionDef)):
        launches, values = like(function, _LAUNCH), dict(syntax.assigned(function))
        returned = [n.value for n in syntax.nodes(function) if isinstance(n, ast.Return)]
        if any(values.get(getattr(v, "id", ""), v) in launches for v in returned):
            return True
    return False


@looks
def _old_stride(x, error, value) -> bool:
    """Rows of a contiguous copy of x were read as if they began as far apart as those of x do."""
    if x.dim() != 2 or x.is_contiguous():
        return False
    (m, n), step, where = x.shape, x.stride(0), (error or {}).get("where")
    if where:  # with the row stride of its own tensor, no row begins outside of it
        begins = where["program"][0] * step
        return where["op"] == "load" and where["lanes"] == where["of"] and where["first"] == begins >= m * n
    if error or not isinstance(value, torch.Tensor) or (m - 1) * step + n > m * n:
        return False
    return compare.alike(value, torch.softmax(x.contiguous().as_strided((m, n), (step, 1)).double(), 1))


@looks
def _refused(case, evidence) -> bool:
    """The answer raised a ValueError by itself for an input that it must take."""
    error = evidence.error or {"kinds": [], "line": ""}
    return not case.expects_error and "ValueError" in error["kinds"] and error["line"].startswith("raise")


def _read_apart(distance) -> Detector:
    """Matches rows of x that were read as if they began distance(x) elements apart."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        (m, n), step = x.shape, distance(x)
        if not x.is_contiguous() or step == n or (m - 1) * step + n > x.numel():
            return torch.softmax(x.double(), 1)  # which is right, so it names nothing
        return torch.softmax(x.as_strided((m, n), (step, 1)).double(), 1)

    return detectors.formula(compute)


def _stored_apart(distance) -> Detector:
    """Matches rows of the output that were stored, one after another, as if they began distance(x) elements apart."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        y, (m, n), step = torch.softmax(x.double(), 1), x.shape, distance(x)
        if step == n or (m - 1) * step + n > x.numel():
            return y
        flat = torch.full((m * n,), torch.nan, dtype=y.dtype)
        for row in range(m):
            flat[row * step : row * step + n] = y[row]
        return flat.reshape(m, n)

    return detectors.formula(compute)


def _output_twice(tree: ast.AST) -> bool:
    """A launch k[grid](a, a, ...) gets the same name for its first two arguments, and nowhere the function's input."""
    for function in (n for n in syntax.nodes(tree) if isinstance(n, ast.FunctionDef) and n.args.args):
        for launch in like(function, _LAUNCH):
            names = [a.id if isinstance(a, ast.Name) else "" for a in launch.args]
            if len(names) > 1 and names[0] and names[0] == names[1] and function.args.args[0].arg not in names:
                return True
    return False


_launched = looks(lambda x, launches: bool(launches))  # for an input that has a softmax
STRIDES_EXCHANGED = (
    "strides-exchanged-in-launch",
    detectors.both(detectors.written(syntax.strides_exchanged), _launched),
)

# Any function of a matrix, however it launches its kernels.
FUNCTION = (
    ("error-not-raised", detectors.both(detectors.written(syntax.exception_not_raised), _to_be_refused)),
    ("accepts-anything", detectors.both(_to_be_refused, _no_error)),
    ("wrong-exception", detectors.both(_to_be_refused, _failed)),  # `verify` accepts the right one
    ("refuses-the-right-ones", _refused),
    ("bad-num-warps", detectors.both(_no_error, looks(lambda evidence: bool(warps_fault(evidence))))),
    ("launch-for-result", detectors.both(detectors.written(_launch_returned), detectors.nothing)),
    ("returns-nothing", detectors.nothing),
    ("output-read-as-input", detectors.both(detectors.written(_output_twice), detectors.all_nan)),
    ("output-reused", detectors.output_reused),
    ("wrong-shape", detectors.wrong_kind("shape")),
    ("wrong-shape", _output_of_another_shape),
    ("wrong-dtype", detectors.wrong_kind("dtype")),
    STRIDES_EXCHANGED,
    ("arguments-exchanged", detectors.both(detectors.written(syntax.arguments_exchanged), _not_refused)),
    ("strides-in-one-argument", detectors.both(detectors.written(syntax.all_strides_passed), _not_refused)),
    ("sizes-exchanged", detectors.both(detectors.written(_sizes_exchanged), _not_refused)),
    ("mask-by-the-stride", detectors.both(detectors.masked("load"), detectors.outside("load", _stride_for_columns))),
    ("stride-of-another-tensor", _old_stride),
    ("rows-wrongly-apart", detectors.both(detectors.written(syntax.stride_of_another), _rows_with_gaps)),
    ("rows-assumed-adjacent", detectors.both(_rows_with_gaps, _no_store_outside)),
    ("column-stride", _columns_apart),
)

# A function that launches one program per row.
WARPS_REMARKS = (
    (
        said(
            "Your launch leaves num_warps at 4, whatever the block. The result is right, and a block of 4096 gives "
            "each thread 32 numbers to hold: warps_for, above, asks for more warps."
        ),
        looks(lambda source: not re.search(r"num_warps|\bautotune\b", source)),
    ),
)

WRAPPER_PLACES = (
    *FUNCTION,
    _launch_fault("no-kernel"),
    ("grid-on-another-axis", _on_another_axis),
    ("grid-of-columns", _programs(lambda programs, x: programs == x.shape[1] != x.shape[0])),
    ("grid-too-large", detectors.both(_failed, _programs(lambda programs, x: programs > x.shape[0]))),
    ("grid-too-small", detectors.both(_no_error, _programs(lambda programs, x: programs == 0))),
    ("grid-too-small", detectors.both(detectors.tail_rows_nan, _fewer_programs_than_rows)),
    _launch_fault("launch-per-row"),
    ("one-program-for-all", _one_program),
    *ROW_PLACES,
    *SOFTMAX_PLACES,
)

# A row stride that is another number.
ROWS_APART = tuple(
    ("rows-wrongly-apart", apart(distance)) for apart in (_read_apart, _stored_apart) for distance in (lambda x: 1, len)
)

# The same in exercises whose mistakes are not mutants.
WRAPPER = (
    *WRAPPER_PLACES,
    *ROWS_APART,
    *ROW_KERNEL,
    *SOFTMAX_KERNEL,
)
