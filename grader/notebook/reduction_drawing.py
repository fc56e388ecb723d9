"""Drawings of reductions in lesson 12: the states of a tree, of a butterfly, and the two levels of a thread block.

The learner's function runs on numbers that know where they come from. So a drawing shows the additions that took place.
"""

from __future__ import annotations

import sys

from ..sentence import Said, joined, listed, said
from .drawing import Drawing, cell, chip, escaped, label, legend, table
from .picture import in_a_line

_WARP = 32
_EACH = 3  # values of a warp that are drawn


class Number(float):
    """A number that knows the two that it is the sum of, and which numbers of the beginning are in it.

    row, column: its place in the drawing; a partial sum that no state holds has none (placed is False).
    """

    parents: tuple[Number, ...] = ()
    heard: frozenset[int] = frozenset()
    row = column = 0
    placed = False

    def origin(self) -> list[Number]:
        """The numbers in the drawing that it is the sum of."""
        return [each for parent in self.parents for each in ([parent] if parent.placed else parent.origin())]

    def __add__(self, other):
        return _sum(self, other)

    def __radd__(self, other):
        return _sum(other, self)


Number.__name__ = "float"  # an error in the learner's function names what it was given


def _sum(a, b) -> Number:
    made = Number(float(a) + float(b))
    made.parents = tuple(number for number in (a, b) if isinstance(number, Number))
    made.heard = frozenset().union(*(number.heard for number in made.parents))
    return made


def _begin(values) -> list[Number]:
    found = [Number(value) for value in values]
    for column, number in enumerate(found):
        number.column, number.heard, number.placed = column, frozenset([column]), True
    return found


def tree(tree_reduce, values) -> Drawing:
    """Draw the states of tree_reduce(values): each number, with the places of the two that it is the sum of.

    values: 2, 4, 8, ... numbers, 32 at most.
    """
    states = [list(state) for state in tree_reduce(_begin(values))]
    for row, state in enumerate(states[1:], 1):
        for column, number in enumerate(state):
            _place(number, row, column)
    return _drawing(said("Tree"), states, "place")


def butterfly(function, lanes) -> Drawing:
    """Draw the exchanges of a butterfly that adds: each lane's number after each step, and the two lanes it came from.

    function: butterfly(lanes, combine). lanes: 2, 4, ..., 32 numbers.
    """
    first = _begin(lanes)
    walks = [_walk(number, lane) for lane, number in enumerate(function(list(first), _sum))]
    for lane, walk in enumerate(walks):
        for row, number in enumerate(walk[1:], 1):
            _place(number, row, lane)
    steps = max(map(len, walks), default=1)
    states = [first, *([walk[min(row, len(walk) - 1)] for walk in walks] for row in range(1, steps))]
    return _drawing(said("Butterfly"), states, "lane")


def _walk(number, lane: int) -> list:
    """What a lane held, from the beginning: of the two numbers in each sum, the one that had heard of this lane."""
    walk = [number]
    while parents := getattr(walk[-1], "parents", ()):
        own = [parent for parent in parents if lane in parent.heard] or parents
        walk.append(min(own, key=lambda parent: len(parent.heard)))
    return walk[::-1]


def _place(number, row: int, column: int) -> None:
    if getattr(number, "parents", ()):
        number.row, number.column, number.placed = row, column, True


def _drawing(name: str, states: list[list], of: str) -> Drawing:
    """The states below each other, with lines from each number to the two that it was made of.

    of: "place" or "lane", what holds a number.
    """
    wide, word = len(states[0]), _PLACES[of]
    head = label(word) + "".join(label(str(column)) for column in range(wide))
    rows, told = (
        [],
        [
            said(
                "{name}: {word}s 0 to {value} hold {list}.",
                name=name,
                word=word,
                value=wide - 1,
                list=listed([*map(_shown, states[0])]),
            )
        ],
    )
    for row, state in enumerate(states):
        if row:
            rows.append(label("") + _lines(state, row, wide))
            sums = [_of_a_sum(of, at, n, row) for at, n in enumerate(state)]
            told.append(said("Step {row}: {list}.", row=row, list=joined("{one}; {two}", sums)))
        cells = "".join(_cell(number, row) for number in state) + cell("", "none") * (wide - len(state))
        rows.append(label(said("step {row}", row=row) if row else said("begin"), scope="row") + cells)
    kinds = [
        ("load", said("a number at the beginning")),
        ("store", said("a sum; below it the {word}s of its two numbers, one step before", word=word)),
    ]
    if any(_too_new(number, row) for row, state in enumerate(states) for number in state):
        kinds.append(("early", said("◆ new: a number of the same step, not of the step before")))
    body = table(
        said("{name} of {wide} numbers, step by step downwards", name=name, wide=wide), [head], rows, in_a_line(told)
    )
    samples = legend([(chip("&emsp;", look), says) for look, says in kinds])
    return Drawing(in_a_line(told), f"<div>{body}{samples}</div>")


_PLACES = {"place": said("place"), "lane": said("lane")}


def _of_a_sum(of: str, at: int, number, row: int) -> Said:
    values = {"at": at, "origin": _origin(number, row), "shown": _shown(number)}
    if of == "lane":
        return said("lane {at} = {origin}, {shown}", **values)
    return said("place {at} = {origin}, {shown}", **values)


def _cell(number, row: int) -> str:
    origin = f"<br><small>{_places(number)}{_new_in_html(number, row)}</small>" if row else ""
    look = "load" if not row else "early" if _too_new(number, row) else "store"
    return cell(f'<div style="width:3.4em"><b>{_shown(number)}</b>{origin}</div>', look)  # all columns are equally wide


def _origin(number, row: int) -> str:
    """The places of the two numbers, such as "0 + 4", and a mark where one of them is no older."""
    places = _places(number)
    return said("{places} ◆ new", places=places) if _too_new(number, row) else places


def _places(number) -> str:
    return " + ".join(str(each.column) for each in _of(number)) or "?"


def _new_in_html(number, row: int) -> str:
    new = escaped(said("◆ new"))
    return f"<br>{new}" if _too_new(number, row) else ""


def _of(number) -> list[Number]:
    return number.origin() if isinstance(number, Number) else []


def _too_new(number, row: int) -> bool:
    return row > 0 and any(each.row >= row for each in _of(number))


def _lines(state: list, row: int, wide: int) -> str:
    """A cell across all columns with a line from each number of the row above to those made of it."""
    drawn = "".join(
        f'<line x1="{10 * each.column + 5}" y1="0" x2="{10 * at + 5}" y2="10" vector-effect="non-scaling-stroke"/>'
        for at, number in enumerate(state) for each in _of(number) if each.row == row - 1
    )  # fmt: skip
    picture = (
        f'<svg aria-hidden="true" viewBox="0 0 {10 * wide} 10" preserveAspectRatio="none" stroke="currentColor" '
        f'stroke-width="1" style="display:block;width:100%;height:2em">{drawn}</svg>'
    )
    return f'<td colspan="{wide}" style="border:none;padding:0">{picture}</td>'


def two_level(function, lanes_m, lanes_d) -> Drawing:
    """Draw a reduction in two levels: what goes into each call of butterfly, and the state that comes out of it.

    function: two_level(lanes_m, lanes_d). lanes_m, lanes_d: the states of the threads, 32 for each warp.
    """
    lanes_m, lanes_d = _begin(lanes_m), _begin(lanes_d)  # each number an object of its own
    threads = {_key(entry): n for n, state in enumerate(zip(lanes_m, lanes_d)) for entry in (state, *state)}
    calls, result = _calls(function, list(lanes_m), list(lanes_d))
    outputs, rows, told = {}, [], []
    for number, (values, out) in enumerate(calls):
        groups = _groups(values, threads, outputs)
        name = _level(groups, number)
        outputs.setdefault(out[0] if out else None, name)
        boxes = "".join(f"<div>{chip(escaped(words), look, '24em')}</div>" for look, words in map(_told, groups))
        end = _shown(out[0]) if out else said("nothing")
        rows.append(
            label(name, scope="row") + cell(boxes, "none") + cell("→", "none") + cell(f"<b>{escaped(end)}</b>", "store")
        )
        told.append(
            said(
                "{name}: {list}; together {end}.",
                name=name,
                list=joined("{one}, {two}", [words for _, words in map(_told, groups)]),
                end=end,
            )
        )
    told.append(said("The result is {shown}; calls of butterfly: {count}.", shown=_shown(result), count=len(calls)))
    head = [label("") + label(said("goes into the butterfly")) + label("") + label(said("its result (m, d)"))]
    used = {look for values, _ in calls for look, _ in map(_told, _groups(values, threads, outputs))} | {"store"}
    says = {
        "load": said("threads of one warp"),
        "store": said("the state of all of them"),
        "masked": said("lanes without a warp"),
    }
    samples = [(chip("&emsp;", look), words) for look, words in says.items() if look in used]
    body = table(
        said("Two levels: the {count} calls of butterfly, downwards", count=len(calls)), head, rows, in_a_line(told)
    )
    return Drawing(in_a_line(told), f"<div>{body}{legend(samples)}</div>")


def _calls(function, lanes_m: list, lanes_d: list) -> tuple[list[tuple[list, list]], object]:
    """((values, results) of each call of butterfly, returned value). A call within a call is left out."""
    code = getattr(function.__globals__.get("butterfly"), "__code__", None)
    open_calls, calls = [], []

    def watch(frame, event, returned):
        if frame.f_code is not code:
            return
        if event == "call":
            open_calls.append(list(frame.f_locals[code.co_varnames[0]]))
        elif event == "return":
            values = open_calls.pop()
            if not open_calls:
                calls.append((values, list(returned or ())))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        return calls, function(lanes_m, lanes_d)
    finally:
        sys.setprofile(before)


def _key(value):
    """The identity of a number, or of the numbers in a state: others may be equal to them."""
    return tuple(map(id, value)) if isinstance(value, tuple) else id(value)


def _groups(values: list, threads: dict, outputs: dict) -> list[tuple[str, object, list]]:
    """(kind, first thread or name or value, values) of neighbours that belong together."""
    found: list[tuple[str, object, list]] = []
    for value in values:
        kind, of = "thread", threads.get(_key(value))
        if of is None:
            kind, of = ("output", outputs[value]) if value in outputs else ("other", value)
        last = found[-1] if found else ("", None, [])
        follows = last[1] + len(last[2]) == of if kind == last[0] == "thread" else kind == "other" and last[1] == of
        if kind == last[0] and follows:
            last[2].append(value)
        else:
            found.append((kind, of, [value]))
    return found


def _level(groups: list, number: int) -> str:
    if any(kind == "output" for kind, *_ in groups):
        return said("second level")
    if len(groups) == 1 and groups[0][0] == "thread" and len(groups[0][2]) == _WARP and groups[0][1] % _WARP == 0:
        return said("warp {value}", value=groups[0][1] // _WARP)
    return said("call {number}", number=number)


def _told(group: tuple[str, object, list]) -> tuple[str, str]:
    """(look, words) of neighbours."""
    kind, of, values = group
    if kind == "output":
        return "store", joined("{one}: {two}", [of, _shown(values[0])])
    shown = [_shown(value) for value in (values if len(values) <= _EACH else [*values[: _EACH - 1], values[-1]])]
    if kind == "thread":
        shown[-1:] = ["…", shown[-1]] if len(values) > _EACH else shown[-1:]
        return "load", (
            said("threads {span}: {list}", span=_span(of, len(values)), list=" ".join(shown))
            if len(values) > 1
            else said("thread {span}: {list}", span=_span(of, len(values)), list=" ".join(shown))
        )
    return "masked", f"{len(values)} × {shown[0]}"


def _span(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def _shown(value) -> str:
    """A number or a state as text."""
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_shown, value))})"
    return f"{float(value):.3g}" if isinstance(value, (int, float)) else str(value)
