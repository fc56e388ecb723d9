"""steps(kernel, *args): the lines of a compiled kernel, and between which memories each of them moves numbers."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections import Counter
from dataclasses import dataclass, field

from ..gpus import JUDGED
from ..interpreter.triton_private import under_decorators
from ..language import say, wrap
from ..reference import memories
from ..sentence import joined, said
from .canvas import FRAME, READ, WIDTH, WRITTEN, Canvas
from .hierarchy import GAP, LABEL, LEFT, TALL, TOP, draw_levels
from .machine_code import machine_code
from .picture import Picture, in_a_line

_GPU = JUDGED.name
_MOST_COLUMNS = 8  # lines in the picture
_OPCODE = re.compile(r"(?:@!?U?P\w+ )?([A-Z0-9]+)")
_MOVES = ("LDG", "STG", "STS", "LDS", "SHFL")  # instructions that move numbers, as NVIDIA calls them


@dataclass
class Step:
    """One statement of a kernel. name: of its result, or of the function that it calls. code: its first line.

    moves: how many instructions of each kind in _MOVES a thread has for it; one in a loop counts once.
    """

    name: str
    code: str
    moves: Counter = field(default_factory=Counter)
    compiled: bool = False


def steps(kernel, *args, **constants):
    """Compile a kernel for an H100, which need not be here, and show where its numbers are, line by line.

    Arguments are those of machine_code, without a list among them. Prints a table, from the first line that moves
    numbers on (those before it compute addresses), and returns a Picture of it. Raises KernelMisuse as machine_code.

    >>> steps(softmax_row_kernel, y, x, n_cols, BLOCK=1024)
    """
    made = machine_code(kernel, *args, gpu=_GPU, **constants).columns[0]
    function, _ = under_decorators(kernel, args, constants)
    found = of_listing(textwrap.dedent(inspect.getsource(function.fn)), made.listing)
    wide = max((len(step.code) for step in found), default=0)
    spilled = (
        said("; {spills} did not fit and went to memory", spills=made.spills)
        if made.spills
        else said("; all numbers fit")
    )
    lines = [
        said(
            "{name}: {registers} registers per thread{spilled}",
            name=made.name(),
            registers=made.registers,
            spilled=spilled,
        )
    ]
    print("\n".join([say(lines[0]), *(_line(step, wide) for step in found)]))
    lines += [joined("{one}: {two}", [f"`{step.code}`", _words(step)]) for step in found]
    parts = [said("Picture of the memories of the {GPU}, with a column for each line.", GPU=_GPU)]
    return Picture(in_a_line([*parts, *(said("{one}.", one=line) for line in lines)]), lambda: figure(found))


def of_listing(source: str, listing: list[tuple[str, str]]) -> list[Step]:
    """The statements of a kernel from the first on that moves numbers. listing: (line, instruction) pairs."""
    rows, by_line, found = source.splitlines(), {}, []
    simple = [node for node in ast.walk(ast.parse(source).body[0]) if isinstance(node, ast.stmt)]
    for node in sorted((each for each in simple if not hasattr(each, "body")), key=lambda each: each.lineno):
        own = [row.strip() for row in rows[node.lineno - 1 : node.end_lineno]]
        found.append(Step(_named(node), own[0]))
        for line in own:
            by_line.setdefault(line, found[-1])
    for line, instruction in listing:
        if (step := by_line.get(line.strip())) and (opcode := _OPCODE.match(instruction)):
            step.compiled = True
            step.moves[opcode[1]] += opcode[1] in _MOVES
    kept = [step for step in found if step.compiled]
    first = next((i for i, step in enumerate(kept) if step.moves.total()), len(kept))
    return kept[first:]


def figure(found: list[Step]):
    """A matplotlib figure: the memories as boxes, and a column for each step."""
    drawn, levels = found[:_MOST_COLUMNS], memories.levels(_GPU)
    height = TOP + sum(TALL) + GAP * len(TALL) + 0.56
    canvas = Canvas(height)
    tops = draw_levels(canvas, _GPU, levels, alone=False)
    wide = (WIDTH - 2 * LEFT - LABEL) / max(len(drawn), 4)
    registers, shared, memory = tops[0] + TALL[0] - 0.06, tops[1], tops[3]
    for number, step in enumerate(drawn):
        x = LEFT + LABEL + (number + 0.5) * wide
        name = step.name if len(step.name) * 0.062 < wide else step.name[: int(wide / 0.062) - 2] + "..."
        told = said("{name}\n{SHFL} exchanges", name=name, SHFL=step.moves["SHFL"]) if step.moves["SHFL"] else name
        canvas.box(x - 0.47 * wide, tops[0] + 0.06, 0.94 * wide, TALL[0] - 0.12, told, 7.5, **FRAME)
        for kind, at, ends, style in (
            ("LDG", x - 0.2 * wide, (memory + 0.2, registers), READ),
            ("STG", x + 0.2 * wide, (registers, memory + 0.2), WRITTEN),
            ("STS", x - 0.2 * wide, (registers, shared + 0.34), WRITTEN),
            ("LDS", x + 0.2 * wide, (shared + 0.34, registers), READ),
        ):
            if count := step.moves[kind]:
                canvas.arrow(at, *ends, 0.09, **style)
                canvas.text(at, max(ends) + 0.14, str(count), size=8, ha="center")
    left_out = len(found) - len(drawn)
    more = said("; lines after these are not drawn: {left_out}", left_out=left_out) if left_out else ""
    y = height - 0.46
    canvas.text(
        LEFT + 0.05, y, said("a column for each line; numbers: instructions of a thread{more}", more=more), size=8.5
    )
    for x, style, text in ((0.1, READ, said("loaded into registers")), (2.1, WRITTEN, said("stored from registers"))):
        canvas.box(x, y + 0.2, 0.2, 0.16, **style)
        canvas.text(x + 0.27, y + 0.28, text, size=8.5)
    canvas.text(4.1, y + 0.28, said("exchanges: between threads"), size=8.5)
    return canvas.figure


def _named(node: ast.stmt) -> str:
    """The name that a statement gives its result, or that of the function that it calls."""
    if targets := getattr(node, "targets", None) or [getattr(node, "target", None)]:
        if isinstance(targets[0], ast.Name):
            return targets[0].id
    called = next((each.func for each in ast.walk(node) if isinstance(each, ast.Call)), None)
    return getattr(called, "attr", None) or getattr(called, "id", None) or ast.unparse(node)


def _line(step: Step, wide: int) -> str:
    """The line of a step in the table. wide: the column of code. What is too wide goes on below its own column."""
    first, below = f"  {step.code:<{wide}}  ", " " * (wide + 4)
    return "\n".join(wrap.wrap(say(_words(step)), max(wrap.WIDTH, wide + 44), first, below))


def _words(step: Step) -> str:
    moves = step.moves
    told = [
        said("memory to registers: {LDG}", LDG=moves["LDG"]) if moves["LDG"] else "",
        said("between registers of threads: {SHFL}", SHFL=moves["SHFL"]) if moves["SHFL"] else "",
        said("to shared memory: {STS}", STS=moves["STS"]) if moves["STS"] else "",
        said("from shared memory: {LDS}", LDS=moves["LDS"]) if moves["LDS"] else "",
        said("registers to memory: {STG}", STG=moves["STG"]) if moves["STG"] else "",
    ]
    return joined("{one}; {two}", [each for each in told if each]) or said("in registers")
