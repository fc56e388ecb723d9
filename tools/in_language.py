"""Notebooks and pages in another language, made from the English ones and a catalogue.

notebooks/zh/04_one_row.ipynb has the cells, ids and metadata of notebooks/04_one_row.ipynb; its code differs in
comments alone, and in what its first cell says where it fails. docs/zh/glossary.md and README.zh.md are made in the
same way. Links lead to files of the same language where there are such.
"""

from __future__ import annotations

import io
import os
import pathlib
import re
import tokenize
from collections.abc import Callable

import catalogues
import messages
import nbformat
import opening

ROOT = catalogues.ROOT
_CUDA = re.compile(r"__(?:global|device|shfl)_")
_LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")


def place(file: str, language: str) -> str:
    """The path in a language of a file in English, both from the root of the project. Most files have one path."""
    short, name = catalogues.short(language), pathlib.PurePosixPath(file).name
    if language == "en" or not is_translated(file):
        return file
    if file == "README.md":
        return f"README.{short}.md"
    return f"{pathlib.PurePosixPath(file).parent}/{short}/{name}"


def is_translated(file: str) -> bool:
    """Whether a file, named from the root of the project, is an English notebook or page of which there are others."""
    return file in catalogues.PAGES.values() or bool(re.fullmatch(r"notebooks/\d\d_\w+\.ipynb", file))


def notebook(english: nbformat.NotebookNode, stem: str, language: str, repository: str) -> nbformat.NotebookNode:
    """The notebook of a lesson in a language. english: the learner's."""
    made = nbformat.from_dict(english)
    source = f"notebooks/{stem}.ipynb"
    title = next(cell for cell in made.cells if cell.cell_type == "markdown")
    title.source = messages.SWITCH.sub("", opening.with_badges(title.source, "", "", ""), count=1)
    say = _say(language, f"lesson_{stem}")
    catalogues.translated(made, say)
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = _with_links(cell.source, source, language)
    first = next(cell for cell in made.cells if cell.cell_type == "code")
    first.source = opening.in_language(first.source, language, _say(language, "feedback_setup"))
    opening.stamp(made, place(source, language), repository)
    title.source = with_switch(title.source, source, language)
    mark(made, language)
    return made


def mark(notebook: nbformat.NotebookNode, language: str) -> None:
    """Say in a notebook which language it speaks, in place: in its metadata, and for a kernel in its first cell."""
    notebook.metadata["five_passes"] = {"language": language}
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = re.sub(r"  # language: \w+$", "", first.source) + f"  # language: {language}"


def page(file: str, language: str, repository: str) -> str:
    """The text of a page in a language. file: that of the English page."""
    english = messages.SWITCH.sub("", (ROOT / file).read_text(encoding="utf-8"), count=1)
    name = next(name for name, each in catalogues.PAGES.items() if each == file)
    text = messages.markdown(english, _say(language, f"page_{name}"))
    text = _with_links(text, file, language)
    if file == "README.md":
        first = f"notebooks/{catalogues.short(language)}/00_check_your_bench.ipynb"
        text = opening.with_badges(text, opening.BADGES_HERE, first, repository)
    return with_switch(text, file, language)


def with_switch(text: str, file: str, language: str) -> str:
    """A text with its languages below its title: this one in bold, links to the others. file: the English one."""
    text = messages.SWITCH.sub("", text, count=1)
    names = {"en": "English", **_names()}
    if len(names) == 1:
        return text
    here = pathlib.PurePosixPath(place(file, language)).parent
    shown = []
    for code, name in names.items():
        shown.append(f"**{name}**" if code == language else f"[{name}]({_relative(place(file, code), here)})")
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{' · '.join(shown)}\n{rest}"


def _relative(file: str, folder: pathlib.PurePosixPath) -> str:
    return pathlib.PurePath(os.path.relpath(file, folder)).as_posix()


def _names() -> dict[str, str]:
    return {code: catalogues.said(catalogues.read(code, "feedback_language")).get("English", code)
            for code in catalogues.languages()}  # fmt: skip


def _say(language: str, domain: str) -> Callable[[str], str]:
    known = catalogues.said(catalogues.read(language, domain))
    return lambda message: known.get(message, message)


def _with_links(text: str, file: str, language: str) -> str:
    """A text whose relative links were right in the English file `file`, moved to that file's place in the language."""
    here = pathlib.PurePosixPath(place(file, language)).parent

    def to(found: re.Match) -> str:
        target = os.path.normpath(pathlib.PurePosixPath(file).parent / found[2])
        return found[1] + _relative(place(target, language), here) + (found[3] or "") + found[4]

    return _LINK.sub(to, text)


def same_code(one: str, other: str) -> bool:
    """Whether two code cells differ in comments alone: of Python, and of kernels in CUDA C++."""
    return _code(one) == _code(other)


def _code(source: str) -> list[str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return [source]
    kept = [t.string for t in tokens if t.type not in (tokenize.COMMENT, tokenize.NL)]
    return [re.sub(r"\s*//[^\n]*", "", text) if _CUDA.search(text) else text for text in kept]


def problems(english: nbformat.NotebookNode, made: nbformat.NotebookNode, file: str, language: str) -> list[str]:
    """Sentences about a notebook in another language that is not the English one with other words."""
    where, found = place(file, language), []
    faces = [[(cell.id, cell.cell_type, cell.metadata) for cell in each.cells] for each in (english, made)]
    if faces[0] != faces[1]:
        return [f"{where} has other cells than {file}"]
    for before, after in zip(english.cells, made.cells):
        if before.cell_type == "code" and before.id != opening.ID and not same_code(before.source, after.source):
            found.append(f"{where}: the code of cell {after.id} is not that of {file}")
        elif before.cell_type == "markdown" and after is not made.cells[0]:
            for link in _LINK.finditer(after.source):
                target = os.path.normpath(pathlib.PurePosixPath(where).parent / link[2])
                if is_translated(target):
                    found.append(f"{where}: cell {after.id} leads to the English {target}")
    return found
