"""Gather the pages of the site from what the course already has: lessons, docs/ and the texts beside the README.

`make site` calls this. The tree that it writes mirrors the repository: a link from page to page holds in both.
"""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import pathlib
import shutil
import sys

import nbformat

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]
import build  # noqa: E402
import catalogues  # noqa: E402
import in_language  # noqa: E402
import opening  # noqa: E402

from grader import language as spoken  # noqa: E402

_README = ROOT / "README.md"
PAGES = ROOT / "site" / "pages"
GITHUB = "github"  # the folder of what is in .github/: files that begin with a dot are not published
# What the site says on the page of a lesson, around the lesson's own text.
_SAID = {
    "en": {
        "set up": "The first cell, the same in every lesson: it finds or fetches the course",
        "solution": "A solution of {}, and what its check says",
        "click": "Write along in {}",
        "copy": "To write along, open `{}` in your copy of the course",
        "outputs": "{}. The outputs below are those of the solutions, which are folded away.",
    },
    "zh_Hans": {
        "set up": "第一个单元格，每课都一样：找到或下载课程",
        "solution": "{} 的一个解答，以及检查的结果",
        "click": "动手写代码：{}",
        "copy": "动手写代码：打开课程副本里的 `{}`",
        "outputs": "{}。下面的输出来自解答，解答本身已折叠。",
    },
}
_MARKERS = ("### BEGIN SOLUTION", "### END SOLUTION")
_FIRST_CHECK = "<!-- first check -->\n"
_START = "<!-- start -->\n"
_LESSONS = "<!-- lessons -->\n"
# A page that stands in no group belongs to the last one.
_GROUPS = {
    "Kernels of your own": ["docs/audit"],
    "Keep at hand": [
        "docs/glossary", "docs/cheat_sheet", "docs/triton_names",
        "docs/open_anywhere", "docs/terminal", "docs/race", "docs/reading", "docs/where_next",
    ],
    "For instructors": ["docs/instructors", "docs/isolation"],
    "For authors and maintainers": [],
}
_DECISIONS = "docs/decisions/"
_INDEX = f"{_DECISIONS}README"  # it lists the other pages of its folder itself


def gather() -> None:
    """Write site/pages/ anew."""
    shutil.rmtree(PAGES, ignore_errors=True)
    (PAGES / "notebooks").mkdir(parents=True)
    shutil.copytree(ROOT / "docs", PAGES / "docs")
    index = PAGES / f"{_INDEX}.md"
    index.write_text(index.read_text(encoding="utf-8") + _decisions(), encoding="utf-8")
    for text in set(ROOT.glob("*.md")) - set(ROOT.glob("README*.md")):
        shutil.copy(text, PAGES)
    (PAGES / GITHUB).mkdir()
    for text in (ROOT / ".github").glob("*.md"):
        shutil.copy(text, PAGES / GITHUB)
    repository = opening.repository(ROOT)
    for page, named in opening.texts(PAGES, repository).items():
        page.write_text(named, encoding="utf-8")
    with concurrent.futures.ProcessPoolExecutor() as pool:
        wanted = itertools.product(lessons(), ["en", *catalogues.languages()])
        for path, page in pool.map(functools.partial(lesson, repository), *zip(*wanted)):
            (PAGES / path).parent.mkdir(exist_ok=True)
            nbformat.write(page, PAGES / path)
    nbformat.write(first_page(repository), PAGES / "index.ipynb")


def lessons() -> list[str]:
    """Names of the lessons in order, such as 04_one_row."""
    return sorted(path.stem for path in (ROOT / "solutions").glob("[0-9][0-9]_*.ipynb"))


def _read(folder: str, name: str) -> nbformat.NotebookNode:
    return nbformat.read(ROOT / folder / f"{name}.ipynb", as_version=4)


def lesson(repository: str, name: str, language: str) -> tuple[str, nbformat.NotebookNode]:
    """A learner's notebook with the outputs of the executed lesson; solutions are folded behind their checks.

    Returns its path in this language, from the root, and the notebook. In another language than English the lesson
    runs now. Raises nbclient.exceptions.CellExecutionError.
    """
    path, page = in_language.place(f"notebooks/{name}.ipynb", language), _read("solutions", name)
    if language != "en":
        page = in_language.notebook(page, name, language, repository)
        build.execute(page)
    stubs = {cell.id: cell.source for cell in nbformat.read(ROOT / path, as_version=4).cells}
    for cell in page.cells:
        if not cell.id.startswith("exercise-"):
            cell.source = stubs[cell.id]
    cells, pending = [], []
    for cell in page.cells:
        kind, _, number = cell.id.partition("-")
        if kind == "exercise" and cell.cell_type == "code":
            pending.append(_plain(cell, _without_markers(cell.source), cell.outputs))
            cells.append(_plain(cell, stubs[cell.id]))
        elif kind == "check" and cell.cell_type == "code":
            cells.append(_plain(cell, cell.source))
            pending[-1].outputs += cell.outputs
            words = _SAID[language]["solution"].format(number.replace("-", "."))
            cells += [_folded(solution, "hide-cell", words) for solution in pending]
            pending = []
        else:
            cells.append(cell)
    title = next(cell for cell in cells if cell.cell_type == "markdown")
    heading, _, rest = opening.with_badges(title.source, "", "", "").partition("\n")
    title.source = f"{heading}\n\n{_where(path, repository, language)}\n{rest}"
    _folded(next(cell for cell in cells if cell.cell_type == "code"), "hide-input", _SAID[language]["set up"])
    page.cells = cells
    for i, cell in enumerate(cells):
        cell.id = f"cell-{i}"
    return path, page


def _where(path: str, repository: str, language: str) -> str:
    """The line that says where the reader can write along."""
    said = _SAID[language]
    links = opening.links(path, repository) | ({"GitHub": opening.file(path, repository)} if repository else {})
    buttons = " ".join(f"[{service}]({link})" for service, link in links.items())
    place = said["click"].format(buttons) if links else said["copy"].format(path)
    return f"{{.where}}\n{said['outputs'].format(place)}\n"


def _plain(cell: nbformat.NotebookNode, source: str, outputs=()) -> nbformat.NotebookNode:
    return nbformat.v4.new_code_cell(source, id=cell.id, outputs=list(outputs))


def _folded(cell: nbformat.NotebookNode, tag: str, words: str) -> nbformat.NotebookNode:
    prompts = {"code_prompt_show": words, "code_prompt_hide": words}
    cell.metadata = nbformat.from_dict({"tags": [tag], "mystnb": prompts})
    return cell


def _without_markers(source: str) -> str:
    return "\n".join(line for line in source.splitlines() if line.strip().removeprefix("// ") not in _MARKERS)


def first_page(repository: str) -> nbformat.NotebookNode:
    """site/index.md with the first exercise of the course in its place, and all pages listed behind it."""
    text = (ROOT / "site" / "index.md").read_text(encoding="utf-8")
    table = _README.read_text(encoding="utf-8").partition("## The lessons\n")[2].partition("\nWorked solutions")[0]
    before, after = text.replace(_START, _start(repository)).replace(_LESSONS, table).split(_FIRST_CHECK)
    first = lessons()[0]
    exercise = next(cell for cell in _read("notebooks", first).cells if cell.id.startswith("exercise-"))
    check = next(cell for cell in _read("solutions", first).cells if cell.id.startswith("check-"))
    exercise = _plain(exercise, exercise.source)
    check = _plain(check, check.source, check.outputs)
    title, _, rest = before.partition("\n")
    before = f"{title}\n\n{_languages(first)}\n{rest}"
    cells = [nbformat.v4.new_markdown_cell(part) for part in (before, after + _toctrees())]
    return nbformat.v4.new_notebook(cells=[cells[0], exercise, check, cells[1]], metadata=_kernel(first))


def _languages(first: str) -> str:
    """A link to the first lesson in each other language."""
    named = spoken.languages()
    return " · ".join(
        f"[{named[language]}]({in_language.place(f'notebooks/{first}.ipynb', language)})"
        for language in catalogues.languages()
    )


def _kernel(name: str) -> dict:
    return _read("solutions", name).metadata


def _start(repository: str) -> str:
    """How to open the first lesson: one click where a repository is known, one command anywhere."""
    path = f"notebooks/{lessons()[0]}.ipynb"
    click = " ".join(f"[Open in {name}]({link})" for name, link in opening.links(path, repository).items())
    clone = f"git clone https://github.com/{repository} course && cd course\n" if repository else ""
    where = "On Linux, WSL or in a dev container" + ("" if repository else ", in your copy of the course")
    return (f"{{.where}}\nOne click: {click}\n\n" if click else "") + f"{where}:\n\n```\n{clone}make learn\n```\n"


def _texts() -> list[str]:
    return sorted(path.relative_to(PAGES).with_suffix("").as_posix() for path in PAGES.rglob("*.md"))


def _decisions() -> str:
    """The pages below the index of decisions, for the site's table of contents."""
    pages = [page for page in _texts() if page.startswith(_DECISIONS) and page != _INDEX]
    return "\n```{toctree}\n:hidden:\n\n" + "\n".join(f"/{page}" for page in pages) + "\n```\n"


def _toctrees() -> str:
    """The site's tables of contents, one a group."""
    texts = [page for page in _texts() if page == _INDEX or not page.startswith(_DECISIONS)]
    *_, last = _GROUPS
    grouped = {page for pages in _GROUPS.values() for page in pages}
    groups = {"Lessons": [f"notebooks/{name}" for name in lessons()]} | _GROUPS
    for language in catalogues.languages():
        short = catalogues.short(language)
        own = [page for page in texts if page.startswith(f"docs/{short}/")]
        groups[spoken.languages()[language]] = [f"notebooks/{short}/{name}" for name in lessons()] + own
        grouped |= set(own)
    groups[last] = groups[last] + [page for page in texts if page not in grouped]
    return "".join(
        f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```"
        for caption, pages in groups.items()
    )


if __name__ == "__main__":
    gather()
