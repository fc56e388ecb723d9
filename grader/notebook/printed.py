"""What the cells of a lesson print, in the language of the notebook.

A cell is plain Python: it prints f-strings and constants in English. In a notebook in another language, IPython hands
the tree of each cell to `InLanguage`, which puts the translations in their places. The text of the cell stays as it is.

A message is what an f-string says, with {names} for its values, or a constant that `print` gets:

    print(f"{rows:4} rows: ", 2 * rows)     "{rows} rows:"
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from ..language import between, language, say
from ..language.wrap import columns, padded
from ..sentence import Said, foreign, message, said
from ..sentence.said import parts_of

_SHOW = {"print", "Picture"}  # what their arguments say is read by people
_DRAW = {
    "annotate", "set_title", "set_xlabel", "set_xticks", "set_ylabel", "suptitle", "supxlabel", "supylabel", "text",
}  # fmt: skip
_PASS_ON = {"join", "ljust", "rjust"}  # methods of texts: what they get is in the text that they give
_WORD = re.compile(r"[A-Za-z]{2,}|\b[aI]\b")
_UNIT = re.compile(r"\b(?:[kKMGT]i?B|T?flop|byte|ms|MN)(?:/\w+)?\b|\{\w+\}")
_TILE = re.compile(r"tile of (\d+)")  # a name in records
_WIDTH = re.compile(r"(<|>|)(\d*)")  # a format that only pads

Translate = Callable[[str], str | None]  # a message in, its translation or None out

# Values that cells print: what records and cells call the things that they measure, and the answers of bound_by (2.4).
_VALUES = (
    said("all keys"), said("causal"), said("compute"), said("copy"), said("five passes"), said("fused"), said("memory"),
    said("microseconds"), said("no exp"), said("no mask for keys"), said("no other"), said("one product less"),
    said("one row"), said("ours"), said("persistent"), said("three steps"), said("two walks"), said("wrong values"),
    said("zeros"),
)  # fmt: skip


def messages(source: str) -> list[str]:
    """The messages of a cell, in their order; none where it is no Python."""
    found: dict[str, None] = {}
    try:
        _Cell(lambda message: found.setdefault(message)).visit(ast.parse(source))
    except SyntaxError:
        return []
    return [*found]


class InLanguage:
    """What IPython calls with the tree of each cell (`InteractiveShell.ast_transformers`)."""

    def visit(self, tree: ast.AST) -> ast.AST:
        """The tree, in English as it is. A translation has all values of its message (build.py --check)."""
        if language() == "en":
            return tree
        return ast.fix_missing_locations(_Cell(_translation).visit(tree))


def _translation(message: str) -> str | None:
    said = say(message)
    return said if said != message else None


def readable(value: object) -> object:
    """What `print` gets: an error, a sentence or a message in the language in use, and anything else as it is."""
    if isinstance(value, BaseException):
        return say(foreign.recognised(message(value)))
    if not isinstance(value, str):
        return value
    tile = _TILE.fullmatch(value)
    return say(said("tile of {rows}", rows=tile[1]) if tile else foreign.recognised(value))


def shown(value: object, width: str) -> str:
    """A value within a text that is printed. width: as in a format, such as ">12"."""
    value = readable(value)
    if not isinstance(value, str):
        return format(value, width)
    side, most = _WIDTH.fullmatch(width).groups()  # type: ignore[union-attr]  # _value calls with nothing else
    return padded(value, int(most or 0) * (-1 if side == ">" else 1))


# The words that cells wrote into charts: {text in English: its sentence}. in_language() of charts looks there.
_drawn: dict[str, Said] = {}


def drawn(template: str, /, **values: object) -> str:
    """A text for a chart: English, until it is known whether a font has the characters of its translation."""
    sentence = Said(template, {name: str(value) for name, value in values.items()})
    _drawn[str(sentence)] = sentence
    return str(sentence)


def as_drawn(text: str) -> Said | str:
    """The sentence that a cell wrote into a chart as this text; the text itself where it is none."""
    sentence = _drawn.get(text)
    if sentence is None:
        return text
    return Said(sentence.template, {name: readable(value) for name, value in sentence.values.items()})


class _Cell(ast.NodeTransformer):
    """Puts translations into the tree of a cell. What may be a key stays: an index, a key, what is compared."""

    def __init__(self, translate: Translate):
        self._translate = translate
        self._place = ""  # "read": by people; "drawn": it stands in a chart

    def _at(self, place: str, node):
        before, self._place = self._place, place
        done = self.visit(node)
        self._place = before
        return done

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        passed = self._place if name in _PASS_ON else ""
        place = "read" if name in _SHOW else "drawn" if name in _DRAW else passed
        if name == "join" and isinstance(node.func, ast.Attribute):
            joint = self._at("read", node.func.value)  # what stands between: " to "
            node.func.value = _between(joint) if self._place == "read" else joint
        else:
            node.func = self.visit(node.func)
        node.args = [self._at(place, each) for each in node.args]
        if name in _SHOW:
            node.args = [_readable(each) for each in node.args]
        for each in node.keywords:
            each.value = self._at("drawn" if each.arg in ("label", "title") else "", each.value)
            if name == "print" and each.arg in ("sep", "end"):
                each.value = _between(each.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self._at("", node.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        for key in node.keys:  # a cell may print its keys, which `shown` translates
            if isinstance(key, ast.Constant) and re.fullmatch(r"\w+:?(?: [\w,%]+)+", str(key.value)):
                self._said(str(key.value))
        node.values = [self._at("", each) for each in node.values]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._at("", node.iter)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        joined = isinstance(node.body, ast.JoinedStr) or isinstance(node.orelse, ast.JoinedStr)
        place = self._place or ("read" if joined else "")
        node.body, node.orelse = self._at(place, node.body), self._at(place, node.orelse)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if self._place == "read" and isinstance(node.value, str):
            node.value = _as_wide(self._said(node.value) or node.value, node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        template, values = _parts(node)
        if self._place == "drawn":
            told = self._said(template) is not None
            return _call("drawn", ast.Constant(template), **_texts(values)) if told else node
        for each in values.values():
            each.value = self._at("read", each.value)
        translation = self._said(template)
        if translation is not None:
            node.values = [values[name] if name else ast.Constant(plain) for plain, name in parts_of(translation)]
        node.values = [_value(each) if isinstance(each, ast.FormattedValue) else each for each in node.values]
        return node

    def _said(self, text: str) -> str | None:
        """The translation of a text, with the space that stands around it."""
        bare = text.strip()
        if not _WORD.search(_UNIT.sub(" ", bare)):
            return None
        translation = self._translate(bare)
        if translation is None:
            return None
        before, _, after = text.partition(bare)
        return before + translation + after


def _as_wide(text: str, as_this: str) -> str:
    """A text with spaces before or behind it until it is as wide as the other one: part of a table, if that has any."""
    if as_this.startswith("  "):
        return padded(text.lstrip(), -columns(as_this))
    return padded(text.rstrip(), columns(as_this)) if as_this.endswith("  ") else text


def _between(node: ast.expr) -> ast.expr:
    """The comma, or what else `print` writes between texts, of the language in use."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node.value = between(node.value)
    return node


def _parts(node: ast.JoinedStr) -> tuple[str, dict[str, ast.FormattedValue]]:
    """The template of an f-string, and {name: value}."""
    template, values = "", {}
    for each in node.values:
        if isinstance(each, ast.FormattedValue):
            name = _name(each.value)
            name = name if name not in values else f"{name}{len(values) + 1}"
            values[name] = each
            template += f"{{{name}}}"
        else:
            template += each.value.replace("{", "{{").replace("}", "}}")  # type: ignore[attr-defined]
    return template, values


def _name(value: ast.expr) -> str:
    if isinstance(value, ast.Name):
        return value.id
    if isinstance(value, ast.Attribute):
        return value.attr
    if (
        isinstance(value, ast.Subscript)
        and isinstance(value.slice, ast.Constant)
        and str(value.slice.value).isidentifier()
    ):
        return str(value.slice.value)
    return "value"


def _call(function: str, *arguments: ast.expr, **named: ast.expr) -> ast.Call:
    """A call of a function of this module, from a cell that has not imported it."""
    source = f"__import__({__name__!r}, fromlist=[{function!r}]).{function}"
    keywords = [ast.keyword(name, value) for name, value in named.items()]
    return ast.Call(ast.parse(source, mode="eval").body, [*arguments], keywords)


def _texts(values: dict[str, ast.FormattedValue]) -> dict[str, ast.expr]:
    """The values of an f-string as texts, each in its format."""
    return {name: ast.JoinedStr([value]) for name, value in values.items()}


def _readable(node: ast.expr) -> ast.expr:
    """An argument of `print` that may be an error or a word."""
    return node if isinstance(node, (ast.Constant, ast.JoinedStr, ast.Starred)) else _call("readable", node)


def _value(node: ast.FormattedValue) -> ast.FormattedValue:
    """A value that goes through `shown`, unless its format says that it is a number."""
    spec = "".join(str(getattr(each, "value", "?")) for each in getattr(node.format_spec, "values", []))
    if node.conversion != -1 or not _WIDTH.fullmatch(spec):
        return node
    return ast.FormattedValue(_call("shown", node.value, ast.Constant(spec)), -1, None)
