"""The sentences of the engine, as Babel's extractor finds them: what `said`, `fault` and `joined` are called with.

A message of the engine is the template of a sentence. A constant has none of the placeholders, and stands as it is.
"""

from __future__ import annotations

import ast
import functools
import io
import pathlib
import re

from babel.messages import extract

ROOT = pathlib.Path(__file__).resolve().parent.parent / "grader"
# The arguments that are templates, from 1; None: the first one.
KEYWORDS = {"said": None, "joined": None, "fault": (2,), "Mistake": (2, 3)}
_WORD = re.compile(r"[A-Za-z]{2,}|\b[aI]\b")
_DRAWING = {
    "set_xlabel", "set_ylabel", "set_title", "suptitle", "annotate", "text", "legend",
    "supxlabel", "supylabel", "Picture",
}  # fmt: skip


def of_engine() -> dict[str, list[str]]:
    """{room: its messages} for the rooms of grader/, in the order of their files."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted([*ROOT.rglob("*.py"), *ROOT.rglob("*.html")]):
        place = path.relative_to(ROOT).parts
        if "skeleton" in place:
            continue
        messages = of_python(path) if path.suffix == ".py" else of_page(path)
        found.setdefault(place[0] if len(place) > 1 else "root", {}).update(dict.fromkeys(messages))
    return {room: [*messages] for room, messages in found.items() if messages}


def of_python(path: pathlib.Path) -> list[str]:
    """The messages in a file of Python."""
    return [*_extracted("python", path.read_bytes())]


def of_page(path: pathlib.Path) -> list[str]:
    """The messages in a template of Jinja2."""
    return [*_extracted("jinja2.ext:babel_extract", path.read_bytes())]


@functools.cache  # a check asks twice, and reads all files of the engine
def _extracted(method: str, source: bytes) -> tuple[str, ...]:
    found = [message for _, message, _, _ in extract.extract(method, io.BytesIO(source), KEYWORDS)]
    flat = [each for message in found for each in (message if isinstance(message, tuple) else [message])]
    return tuple(message for message in flat if message)


def of_launchers() -> list[str]:
    """What the launchers of the shipped softmax say of themselves, which a cell of lesson 14 prints."""
    tree = ast.parse((ROOT / "fast" / "launchers.py").read_text(encoding="utf-8"))
    public = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.decorator_list]
    return [told for each in public if (told := ast.get_docstring(each)) and not each.name.startswith("_")]


def of_drawing(source: str) -> list[str]:
    """The words of the pictures that a cell of a lesson draws, where they are constants."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        drawing = getattr(node.func, "attr", getattr(node.func, "id", "")) in _DRAWING
        words = [*node.args] if drawing else []
        words += [each.value for each in node.keywords if drawing or each.arg in ("label", "title")]
        texts = [part.value for each in words for part in _choices(each) if isinstance(part, ast.Constant)]
        found += [text.strip() for text in texts if isinstance(text, str) and _WORD.search(text)]
    return found


def _choices(node: ast.expr) -> list[ast.expr]:
    return (
        [part for each in (node.body, node.orelse) for part in _choices(each)]
        if isinstance(node, ast.IfExp)
        else [node]
    )
