"""Where notebooks are opened: the badges at their top, and the first cell, by which one that is alone gets the course.

Badges, the cell's address and what the pages tell instructors to clone follow from the repository on GitHub,
"OWNER/NAME", which pyproject.toml keeps. Where none is named there are no badges and no address.
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
from collections.abc import Callable

import nbformat

ROOT = pathlib.Path(__file__).resolve().parent.parent
_BRANCH = "main"  # what badges open; the set-up asks for HEAD, whatever that is called
_STORED = re.compile(r'^repository = "(.*)"$', re.MULTILINE)
_ADDRESS = re.compile(r'(?<="FIVE_PASSES_COURSE", )"[^"]*"')
# What the first cell says where it fails, each with what to do; `later` is said by the cells after it.
WORDS = {
    "python": "The course needs Python 3.11 or newer, and this kernel has {python}: choose another kernel, or open this"
    " notebook in Colab, and run this cell again.",
    "nowhere": "The course is not here, and this notebook names no address to fetch it from (authors set one with make"
    " fork REPO=OWNER/NAME): open the notebook in the course's folder, or set FIVE_PASSES_COURSE to the address of a"
    " repository, and run this cell again.",
    "scheme": "{course} is no address, because it does not begin with https://, http:// or file://: set"
    " FIVE_PASSES_COURSE to one that does, and run this cell again.",
    "page": "A page or a damaged file came from {course} instead of the course: open that address in a browser, sign in"
    " if it asks you to, and run this cell again.",
    "server": "The server has no course for us at {course} ({error}): see that the name is right and the repository"
    " public, and run this cell again.",
    "folder": "The folder five_passes is in the way and not the course: rename or delete it, and run this cell again.",
    "disk": "The course cannot be written here ({error}): make room on the disk, or open this notebook in a folder that"
    " you may change, and run this cell again.",
    "network": "The course could not be fetched from {course} ({error}): turn the network on (on Kaggle: Settings,"
    " Internet), see that the address is right, and run this cell again.",
    "later": "This cell needs the course, which the first cell of this notebook did not get ({error}): run the first"
    " cell again, and do what it says.",
}  # fmt: skip
# A notebook that is alone has nothing but this text until it has fetched colab_setup.py. It is Python of any version.
FIRST_CELL = f"""# @title Find the course, or fetch it, and say what this machine has
import importlib.util, os, sys, urllib.error, urllib.request, zipfile
from IPython.core.error import UsageError

def set_up(course, language, words):
    sys.path[:0] = ["..", "../..", "five_passes"]
    found, text = {{}}, "from colab_setup import start"
    try:
        if sys.version_info < (3, 11):
            raise RuntimeError
        if importlib.util.find_spec("colab_setup") is None:
            text = urllib.request.urlopen(course + "/raw/HEAD/colab_setup.py", timeout=60).read()
        exec(text, found)
        found["start"](course, language)
    except Exception as error:
        what = (
            "python" if sys.version_info < (3, 11) else "" if hasattr(error, "_render_traceback_")
            else "nowhere" if not course else "scheme" if "://" not in course
            else "page" if isinstance(error, (SyntaxError, NameError, KeyError, UnicodeDecodeError, zipfile.BadZipFile))
            else "server" if isinstance(error, urllib.error.HTTPError)
            else "folder" if isinstance(error, FileExistsError)
            else "disk" if getattr(error, "errno", None) in (13, 28, 30, 122) else "network"
        )
        if "grader" not in sys.modules:
            get_ipython().set_custom_exc((NameError, ImportError, SyntaxError), lambda shell, kind, error, *_, **__: (
                shell._showtraceback(kind, error, [words["later"].format(error=error)])))
        values = {{"course": course, "error": error, "python": sys.version.split()[0]}}
        raise (UsageError(words[what].format(**values)) if what else error) from None

set_up(os.environ.get("FIVE_PASSES_COURSE", ""), "en", {json.dumps(WORDS, indent=4)})"""
_LANGUAGE = re.compile(r'(?<=\), )"\w+"(?=, {$)', re.MULTILINE)
ID = "set-up"
_FOLDED = {"tags": ["nbval-ignore-output"], "jupyter": {"source_hidden": True}, "cellView": "form"}
# Where a page or a workflow says how to get the course, into a folder of this name.
_SOURCE = re.compile(
    r"(?<=github\.com/)[\w.-]+/[\w.-]+(?= course\b)|(?<=repository: )[\w.-]+/[\w.-]+(?=, path: course\b)"
)
_UNKNOWN = "YOU/YOUR-FORK"
_BADGES = re.compile(r"\n\n\[!\[Open in .*")  # one line, after the title or the marker
BADGES_HERE = "<!-- badges -->"  # where they go in the README
_SERVICES = {
    "Colab": (
        "https://colab.research.google.com/assets/colab-badge.svg",
        "https://colab.research.google.com/github/{}",
    ),
    "Kaggle": (
        "https://kaggle.com/static/images/open-in-kaggle.svg",
        "https://kaggle.com/kernels/welcome?src=https://github.com/{}",
    ),
    "ModelScope": (
        "https://img.shields.io/badge/Open%20in-ModelScope-624aff",
        "https://modelscope.cn/notebook/share/github/{}",
    ),
}


def repository(root: pathlib.Path = ROOT) -> str:
    """The repository that is stored, "" where none is."""
    return _STORED.search((root / "pyproject.toml").read_text(encoding="utf-8"))[1]


def choose(named: str | None, root: pathlib.Path = ROOT) -> str:
    """Store the repository: the one that is named, else the stored one, else the one that git fetches from."""
    chosen = named or repository(root) or _remote(root)
    if chosen and not re.fullmatch(r"[\w.-]+/[\w.-]+", chosen):
        raise SystemExit(f"--repo takes OWNER/NAME, and got {chosen!r}")
    if chosen != repository(root):
        path = root / "pyproject.toml"
        path.write_text(_STORED.sub(f'repository = "{chosen}"', path.read_text(encoding="utf-8")), encoding="utf-8")
    return chosen


def _remote(root: pathlib.Path) -> str:
    try:
        asked = subprocess.run(["git", "remote", "get-url", "origin"], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:  # a course that came as an archive, to a machine without git
        return ""
    found = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?/?\s*$", asked.stdout)
    return found[1] if found else ""


def badges(path: str, repository: str) -> str:
    """The line of badges that open the notebook at this path; "" without a repository."""
    found = links(path, repository).items()
    return " ".join(f"[![Open in {name}]({_SERVICES[name][0]})]({link})" for name, link in found)


def links(path: str, repository: str) -> dict[str, str]:
    """{service: the address that opens the notebook at this path there}; empty without a repository."""
    place = f"{repository}/blob/{_BRANCH}/{path}"
    return {name: link.format(place) for name, (_, link) in _SERVICES.items()} if repository else {}


def file(path: str, repository: str) -> str:
    """The address of the file or folder at this path on GitHub."""
    return f"https://github.com/{repository}/blob/{_BRANCH}/{path}"


def texts(root: pathlib.Path, repository: str) -> dict[pathlib.Path, str]:
    """{file: its text} of the pages and workflows in docs/ that name another repository than they should."""
    files = sorted([*(root / "docs").rglob("*.md"), *(root / "docs").rglob("*.yml")])
    read = {path: path.read_text(encoding="utf-8") for path in files}
    return {path: named for path, text in read.items() if (named := sourced(text, repository)) != text}


def sourced(text: str, repository: str) -> str:
    """A text that says to get the course from this repository; without one, from a name that stands for any."""
    return _SOURCE.sub(repository or _UNKNOWN, text)


def insert(notebook: nbformat.NotebookNode) -> None:
    """Put the first cell before a notebook's other code cells, in place; JupyterLab and Colab fold it away.

    Its last line says which language the notebook speaks (in_language.mark).
    """
    before = next(i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    cell = nbformat.v4.new_code_cell(FIRST_CELL, id=ID, metadata=nbformat.from_dict(_FOLDED))
    notebook.cells.insert(before, cell)


def in_language(source: str, language: str, say: Callable[[str], str]) -> str:
    """The text of a first cell that speaks a language. say: the translation of a sentence, or the sentence itself."""
    for each in WORDS.values():
        source = source.replace(json.dumps(each), json.dumps(say(each), ensure_ascii=False))
    return _LANGUAGE.sub(f'"{language}"', source)


def stamp(notebook: nbformat.NotebookNode, path: str, repository: str) -> None:
    """Give a notebook its badges and its address in place, or take them away where there is no repository."""
    title, first = (next(c for c in notebook.cells if c.cell_type == kind) for kind in ("markdown", "code"))
    title.source = with_badges(title.source, title.source.partition("\n")[0], path, repository)
    first.source = addressed(first.source, f"https://github.com/{repository}" if repository else "")


def addressed(source: str, address: str = "") -> str:
    """The text of a first cell with another address in it."""
    return _ADDRESS.sub(f'"{address}"', source)


def with_badges(text: str, after: str, path: str, repository: str) -> str:
    """A text with its badges after the line `after`."""
    line = badges(path, repository)
    return _BADGES.sub("", text).replace(after, f"{after}\n\n{line}", 1) if line else _BADGES.sub("", text)


def readme(text: str, repository: str) -> str:
    """The README's text with badges that open lesson 00."""
    return with_badges(text, BADGES_HERE, "notebooks/00_check_your_bench.ipynb", repository)
