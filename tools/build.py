"""Make both notebooks of every lesson from its one source.

    python tools/build.py                     learner notebooks, and the solution notebooks' cells
    python tools/build.py --execute           the same, and run the solution notebooks whose cells changed
    python tools/build.py --execute 04        the same, and run lesson 04 in any case
    python tools/build.py --check             say what is stale, and fail if anything is; warn of missing translations
    python tools/build.py --check --release   the same, and fail if a translation is missing
    python tools/build.py --language xx       begin the catalogues of another language, which docs/languages.md explains
    python tools/build.py --repo ME/FORK      name this repository in badges, notebooks and pages, from now on

A source is a jupytext percent file without the first code cell, which opening.py keeps for all lessons. What stands
between ### BEGIN SOLUTION and ### END SOLUTION becomes a TODO in the learner's notebook. In the text of a kernel in
CUDA C++ both markers are comments: // ### BEGIN SOLUTION. A cell with the tag "open" has no check and no stub: learners
begin with what stands outside of the markers.
"""

from __future__ import annotations

import argparse
import ast
import base64
import copy
import functools
import hashlib
import json
import os
import pathlib
import re
import sys
import sysconfig
from collections import Counter

TOOLS = pathlib.Path(__file__).resolve().parent
ROOT = TOOLS.parent
SOLUTIONS = ROOT / "solutions"
sys.path[:0] = [str(TOOLS), str(ROOT)]
import catalogues  # noqa: E402
import course_map  # noqa: E402
import in_language  # noqa: E402
import jupytext  # noqa: E402
import measured  # noqa: E402
import nbformat  # noqa: E402
import opening  # noqa: E402
import pacing  # noqa: E402

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_REGION = re.compile(rf"^( *(?:// )?){BEGIN}\n(.*?)^ *(?:// )?{END}", re.DOTALL | re.MULTILINE)  # (indent, its lines)
_CHECK = re.compile(r'^check\("(\d+\.\d+)"\)$', re.MULTILINE)
_README, _GUIDE = ROOT / "README.md", ROOT / "docs" / "teaching.md"
_SHOWN = 20  # missing translations that --check names one by one
_OPEN = "open"  # the tag of a cell that no check belongs to, and its id
_PICTURE = "picture:"  # begins the tag of a cell whose picture the README shows; docs/ and the rest name the file


def sources(numbers: list[str]) -> list[pathlib.Path]:
    """The lessons' source files, all of them or those with the given numbers."""
    found = sorted(SOLUTIONS.glob("[0-9][0-9]_*.py"))
    return [s for s in found if not numbers or s.name[:2] in numbers]


def read(source: pathlib.Path) -> nbformat.NotebookNode:
    """A source as a notebook with solutions, stable cell ids and nbgrader's metadata."""
    notebook = copy.deepcopy(_parsed(source.read_text(encoding="utf-8")))
    notebook.metadata = nbformat.from_dict({
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    })  # fmt: skip
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen: dict[str, int] = {}
    for i, cell in enumerate(notebook.cells):
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        cell.id = _unique(_identity(notebook.cells, i, cell), seen)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            graded = _nbgrader(cell)
            if graded:
                cell.metadata["nbgrader"] = graded
    opening.insert(notebook)
    opening.stamp(notebook, f"solutions/{source.stem}.ipynb", opening.repository())
    in_language.mark(notebook, "en")
    return notebook


@functools.cache  # a build reads each source five times
def _parsed(text: str) -> nbformat.NotebookNode:
    return jupytext.reads(text, fmt="py:percent")


def _identity(cells, i: int, cell) -> str:
    """exercise-4-1, check-4-1, open, or a name that follows from the cell's text: the same whatever is added around."""
    checked = _CHECK.search(cell.source)
    if cell.cell_type == "code" and checked:
        return "check-" + checked[1].replace(".", "-")
    if _OPEN in cell.metadata.get("tags", []):
        return _OPEN
    if cell.cell_type == "code" and BEGIN in cell.source:
        following = next((m for c in cells[i:] if c.cell_type == "code" and (m := _CHECK.search(c.source))), None)
        if following is None:
            raise SystemExit(f"an exercise has no check after it:\n{cell.source}")
        return "exercise-" + following[1].replace(".", "-")
    return hashlib.sha256(cell.source.encode()).hexdigest()[:12]


def _unique(name: str, seen: dict[str, int]) -> str:
    seen[name] = seen.get(name, 0) + 1
    return name if seen[name] == 1 else f"{name}-{seen[name]}"


def _nbgrader(cell) -> dict | None:
    """nbgrader's metadata (schema 3) of an exercise cell, an open one or a check cell."""
    from grader import lessons

    kind, _, number = cell.id.partition("-")
    common = {"schema_version": 3, "task": False, "grade_id": cell.id, "cell_type": "code"}
    if kind in ("exercise", _OPEN):
        return common | {"grade": False, "solution": True, "locked": False}
    if kind == "check":
        exercise = lessons.exercises()[number.replace("-", ".")]
        return common | {"grade": True, "solution": False, "locked": True, "points": exercise.points}
    return None


def learner(notebook: nbformat.NotebookNode, stem: str) -> nbformat.NotebookNode:
    """The notebook of the lesson `stem` that a learner opens: stubs for solutions, no outputs."""
    notebook = nbformat.from_dict(notebook)
    title = notebook.cells[0].source.replace("/solutions/", "/notebooks/")  # in its badges
    notebook.cells[0].source = in_language.with_switch(title, f"notebooks/{stem}.ipynb", "en")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    regions = Counter()
    for cell in code:
        regions[_exercise(cell)] += _todos(cell.source)
    done = Counter()
    for cell in code:
        cell.outputs, cell.execution_count = [], None
        if _OPEN in cell.metadata.get("tags", []):
            cell.source = emptied(cell.source)
        elif BEGIN in cell.source:
            exercise, here = _exercise(cell), _todos(cell.source)
            cell.source = stub(cell.source, exercise, done[exercise], regions[exercise])
            done[exercise] += here
    return notebook


def _exercise(cell) -> str:
    """The number of the exercise of a cell, such as 14.2, from its id exercise-14-2 or exercise-14-2-3."""
    return cell.id.removeprefix("exercise-").replace("-", ".", 1).split("-")[0]


def emptied(source: str) -> str:
    """The text of an open cell without its solution regions."""
    return re.sub(rf"{BEGIN}\n.*?{END}", "", source, flags=re.DOTALL).strip()


def stub(source: str, exercise: str, before: int = 0, regions: int | None = None) -> str:
    """The text of an exercise cell with a TODO in place of every solution region.

    before: the number of its TODOs in earlier cells. regions: their number in all cells; None: in this one.
    """
    lines, kept, region = source.splitlines(), [], None
    regions = regions or _todos(source)
    number = before
    for i, line in enumerate(lines):
        if line.strip().removeprefix("// ") == BEGIN:
            region = []
        elif line.strip().removeprefix("// ") == END:
            label = f"TODO {exercise}" + (f" ({number + 1} of {regions})" if regions > 1 else "")
            indent = line[: len(line) - len(line.lstrip())]
            if line.strip().startswith("//"):
                todo = [f'static_assert(false, "{label}");']
            else:
                todo = _todo(label, region, indent, lines[:i])
            kept += [indent + text for text in todo]
            region, number = None, number + bool(todo)
        elif region is None:
            kept.append(line)
        else:
            region.append(line)
    if region is not None:
        raise SystemExit(f"a solution region of exercise {exercise} is not closed")
    return "\n".join(kept)


def _todos(source: str) -> int:
    """How many regions leave a TODO: one of whole definitions leaves nothing, where recall() stands above it."""
    return sum(bool(indent) or bool(_bound_in(region)) for indent, region in _REGION.findall(source))


def _bound_in(region: str) -> list[str]:
    """The names that the assignments of a region bind at the top level of a cell."""
    return [target.id for node in ast.parse(region).body for target in getattr(node, "targets", [])]


def _todo(label: str, region: list[str], indent: str, above: list[str]) -> list[str]:
    """The stub of one region: it must fail loudly in Python, in a kernel, and as a value."""
    if not indent:
        return [f"{name} = ...  # {label}" for name in _bound_in("\n".join(region))]
    header = max(i for i, line in enumerate(above) if re.match(r"\s*def ", line) and not line.startswith(indent))
    if header and "triton.jit" in above[header - 1]:
        return [f'tl.static_assert(False, "{label}")']
    return [f'raise NotImplementedError("{label}")']


def merged(notebook: nbformat.NotebookNode, stored: nbformat.NotebookNode | None) -> nbformat.NotebookNode:
    """The notebook with the stored outputs of the cells that did not change."""
    outputs = {c.id: c for c in stored.cells if c.cell_type == "code"} if stored else {}
    for cell in notebook.cells:
        old = outputs.get(cell.id)
        # Another repository's address changes nothing that a cell shows.
        if cell.cell_type == "code" and old and opening.addressed(old.source) == opening.addressed(cell.source):
            cell.outputs, cell.execution_count = old.outputs, old.execution_count
    return notebook


def execute(notebook: nbformat.NotebookNode) -> None:
    """Run a notebook in place, without timestamps and without a record of progress."""
    from nbclient import NotebookClient

    os.environ |= {"FIVE_PASSES_PROGRESS": "off", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    NotebookClient(notebook, timeout=300, record_timing=False, resources={"metadata": {"path": SOLUTIONS}}).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    installed = f"{sysconfig.get_path('purelib')}/"  # a path of this machine, which Triton's compiler prints
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.update(nbformat.from_dict(json.loads(json.dumps(output).replace(installed, ""))))


def text(notebook: nbformat.NotebookNode) -> str:
    """The bytes of a notebook, the same every time."""
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


def load(path: pathlib.Path) -> nbformat.NotebookNode | None:
    """A notebook, None where there is none."""
    return nbformat.read(path, as_version=4) if path.exists() else None


def unexecuted(notebook: nbformat.NotebookNode) -> list[str]:
    """Ids of the code cells that were never run, or that ended in an error."""
    return [
        c.id for c in notebook.cells
        if c.cell_type == "code" and (c.execution_count is None or any(o.output_type == "error" for o in c.outputs))
    ]  # fmt: skip


def pictures(notebook: nbformat.NotebookNode) -> dict[pathlib.Path, bytes]:
    """The README's pictures that this notebook draws."""
    found = {}
    for cell in notebook.cells:
        names = [tag.removeprefix(_PICTURE) for tag in cell.metadata.get("tags", []) if tag.startswith(_PICTURE)]
        images = [o["data"]["image/png"] for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]
        found |= {ROOT / "docs" / name: base64.b64decode(image) for name, image in zip(names, images)}
    return found


def problems(source: pathlib.Path) -> list[str]:
    """What is stale or wrong with one lesson, as sentences."""
    from grader import lessons

    wanted, found = read(source), []
    clean, solved = ROOT / "notebooks" / f"{source.stem}.ipynb", source.with_suffix(".ipynb")
    if not clean.exists() or clean.read_text(encoding="utf-8") != text(learner(read(source), source.stem)):
        found.append(f"{clean.relative_to(ROOT)} is stale")
    stored = load(solved)
    if stored is not None and "/site-packages/" in text(stored):
        found.append(f"{solved.relative_to(ROOT)} shows a path of the machine that ran it")
    if stored is None or [_face(c) for c in stored.cells] != [_face(c) for c in wanted.cells]:
        found.append(f"{solved.relative_to(ROOT)} is stale")
    else:
        found += [f"{solved.relative_to(ROOT)}: code cell {i} has no good run stored" for i in unexecuted(stored)]
        for path, drawn in pictures(stored).items():
            if not path.exists() or path.read_bytes() != drawn:
                found.append(f"{path.relative_to(ROOT)} is not the picture of {solved.name}")
    ids = {c.id for c in wanted.cells}
    for exercise in lessons.of_lesson(source.name[:2]):
        for kind in ("exercise", "check"):
            if f"{kind}-{exercise.id.replace('.', '-')}" not in ids:
                found.append(f"{source.name}: exercise {exercise.id} has no {kind} cell")
    if "colab_setup" in source.read_text(encoding="utf-8"):
        found.append(f"{source.name} has a first cell of its own, and build.py inserts the one in opening.py")
    found += [f"{source.name}: {sentence}" for sentence in leaks(wanted, source.stem)]
    return found


def leaks(notebook: nbformat.NotebookNode, stem: str) -> list[str]:
    """Solution lines that a learner would see in the exercise's own cell."""
    found = []
    for solved, clean in zip(notebook.cells, learner(notebook, stem).cells):
        if solved.cell_type != "code" or BEGIN not in solved.source:
            continue
        shown = {line.strip() for line in clean.source.splitlines()}
        inside = re.findall(rf"{BEGIN}\n(.*?){END}", solved.source, re.DOTALL)
        # A closing brace, or the // of a marker, gives nothing away.
        lines = {line.strip() for part in inside for line in part.splitlines() if re.search(r"\w", line)}
        visible = " ".join(shown)
        found += [f"the stub of {solved.id} shows {line!r}" for line in sorted(lines) if line in visible]
    return found


def references() -> dict[str, str]:
    """{exercise: the answer in its lesson's source}."""
    from grader import lessons
    from grader.judge.extract import extract

    found = {}
    for lesson in sources([]):
        cells = [cell.source for cell in read(lesson).cells if cell.cell_type == "code"]
        for exercise in lessons.of_lesson(lesson.name[:2]):
            found[exercise.id] = extract(cells, exercise.names).source
    return found


def stale_references() -> list[str]:
    """A sentence if the answers that mutants and stored wrong answers change are not those of the lessons."""
    from grader.mistakes import mutant

    path = mutant.REFERENCES
    fresh = path.exists() and mutant.unpacked(path.read_text(encoding="utf-8")) == mutant.plain(references())
    return [] if fresh else [f"{path.relative_to(ROOT)} is stale"]


def stubs() -> str:
    """The text of stubs.json: {exercise: {name: its stub in the notebook that learners open}}."""
    from grader import lessons
    from grader.judge.extract import extract

    found = {}
    for stem, notebook in learners([]).items():
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        for exercise in lessons.of_lesson(stem[:2]):
            tree = ast.parse(extract(cells, exercise.names).source)
            found[exercise.id] = {
                name: ast.unparse(node)
                for node in tree.body
                for name in exercise.names
                if name == getattr(node, "name", None) or name in [t.id for t in getattr(node, "targets", [])]
            }
    return json.dumps(found, indent=1) + "\n"


def stale_stubs() -> list[str]:
    """A sentence if the stubs that the grader knows are not those of the lessons."""
    from grader.lessons import blank

    fresh = blank.STUBS.exists() and blank.STUBS.read_text(encoding="utf-8") == stubs()
    return [] if fresh else [f"{blank.STUBS.relative_to(ROOT)} is stale"]


def learners(numbers: list[str]) -> dict[str, nbformat.NotebookNode]:
    """{stem: learner's notebook} of the lessons with these numbers."""
    return {source.stem: learner(read(source), source.stem) for source in sources(numbers)}


def made_in(language: str, notebooks: dict[str, nbformat.NotebookNode]) -> dict[pathlib.Path, str]:
    """{file: its text} for all that is made in a language other than English: notebooks and pages."""
    repository, found = opening.repository(), {}
    for stem, english in notebooks.items():
        made = in_language.notebook(english, stem, language, repository)
        found[ROOT / in_language.place(f"notebooks/{stem}.ipynb", language)] = text(made)
    for page in catalogues.PAGES.values():
        found[ROOT / in_language.place(page, language)] = in_language.page(page, language, repository)
    return found


def language_problems(numbers: list[str]) -> list[str]:
    """What is missing, stale or wrong in other languages, as sentences."""
    notebooks, found = learners([]), []
    templates = catalogues.templates(notebooks)
    chosen = {f"lesson_{stem}" for stem in notebooks if not numbers or stem[:2] in numbers}
    for language in catalogues.languages():
        for domain, wanted in templates.items():
            if domain in chosen or not domain.startswith("lesson_"):
                found += catalogues.problems(language, domain, wanted)
        if numbers:
            notebooks = {stem: each for stem, each in notebooks.items() if stem[:2] in numbers}
        for path, made in made_in(language, notebooks).items():
            if not path.exists() or path.read_text(encoding="utf-8") != made:
                found.append(f"{path.relative_to(ROOT)} is stale")
        for stem, english in notebooks.items():
            file = f"notebooks/{stem}.ipynb"
            stored = load(ROOT / in_language.place(file, language))
            found += in_language.problems(english, stored, file, language) if stored else []
        compiled = catalogues.feedback(language)
        if not compiled.exists() or compiled.read_text(encoding="utf-8") != catalogues.compiled(language, [*templates]):
            found.append(f"{compiled.relative_to(ROOT)} is stale")
    return found


def missing_translations(numbers: list[str]) -> list[str]:
    """Which messages have no translation yet, as sentences: of these lessons, the pages and the engine."""
    notebooks = learners([])
    templates = catalogues.templates(notebooks)
    chosen = {f"lesson_{stem}" for stem in notebooks if not numbers or stem[:2] in numbers}
    return [
        sentence
        for language in catalogues.languages()
        for domain, wanted in templates.items()
        if domain in chosen or not domain.startswith("lesson_")
        for sentence in catalogues.untranslated(language, domain, wanted)
    ]


def _untranslated(numbers: list[str], release: bool) -> list[str]:
    """The missing translations, for a release. Otherwise they are no problem, and printed as warnings."""
    missing = missing_translations(numbers)
    if release:
        return missing
    more = [f"and {len(missing) - _SHOWN} more"] if len(missing) > _SHOWN else []
    for sentence in missing[:_SHOWN] + more:
        print(f"warning: {sentence}")
    return []


def translate() -> None:
    """Bring the catalogues of all languages up to date, and make everything from them."""
    notebooks = learners([])
    templates = catalogues.templates(notebooks)
    for language in catalogues.languages():
        for domain, wanted in templates.items():
            catalogues.update(language, domain, wanted)
        compiled = catalogues.feedback(language)
        compiled.write_text(catalogues.compiled(language, [*templates]), encoding="utf-8")
        for path, made in made_in(language, notebooks).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(made, encoding="utf-8")


def _face(cell) -> tuple:
    return cell.id, cell.cell_type, cell.source, dict(cell.metadata)


def main() -> int:
    """Build, run or check the lessons named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lessons", nargs="*", help="numbers of lessons, such as 04; all of them when left out")
    parser.add_argument("--execute", action="store_true", help="run the solution notebooks whose cells changed")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when anything is stale")
    parser.add_argument("--release", action="store_true", help="with --check: fail when a translation is missing, too")
    parser.add_argument("--repo", metavar="OWNER/NAME", help="the repository on GitHub that badges lead to")
    parser.add_argument("--language", metavar="CODE", help="begin the catalogues of this language, such as zh_Hans")
    options = parser.parse_args()
    if options.language:
        (catalogues.LOCALE / options.language / "LC_MESSAGES").mkdir(parents=True, exist_ok=True)
    if options.check:
        found = stale(options.lessons, options.release)
        print("\n".join(found) or f"{len(sources(options.lessons))} lessons are up to date")
        return 1 if found else 0
    repository = opening.choose(options.repo)
    if not repository:
        print("no repository on GitHub is known, so there are no badges; --repo OWNER/NAME names one")
    from grader.lessons import blank
    from grader.mistakes import mutant

    if stale_references():
        mutant.REFERENCES.write_text(mutant.packed(references()), encoding="utf-8")
    if stale_stubs():
        blank.STUBS.write_text(stubs(), encoding="utf-8")
    _README.write_text(_readme(repository), encoding="utf-8")
    for path, named in opening.texts(ROOT, repository).items():
        path.write_text(named, encoding="utf-8")
    course_map.PAGE.write_text(course_map.page(), encoding="utf-8")
    _GUIDE.write_text(pacing.page(_GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
    for source in sources(options.lessons):
        clean, solved = ROOT / "notebooks" / f"{source.stem}.ipynb", source.with_suffix(".ipynb")
        clean.write_text(text(learner(read(source), source.stem)), encoding="utf-8")
        notebook = merged(read(source), load(solved))
        if options.execute and (unexecuted(notebook) or options.lessons):
            print(f"running {solved.name}")
            execute(notebook)
        solved.write_text(text(notebook), encoding="utf-8")
        for path, drawn in pictures(notebook).items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(drawn)
    translate()
    return 0


def stale(lessons: list[str], release: bool) -> list[str]:
    """Sentences about what has to be built anew. release: whether a missing translation is one of them."""
    found = [problem for source in sources(lessons) for problem in problems(source)]
    found += stale_references() + stale_stubs() + language_problems(lessons)
    if _README.read_text(encoding="utf-8") != _readme(opening.repository()):
        found.append("README.md has badges of another repository, or numbers of another record")
    named = opening.texts(ROOT, opening.repository())
    found += [f"{path.relative_to(ROOT)} names another repository" for path in named]
    if course_map.page() != course_map.PAGE.read_text(encoding="utf-8"):
        found.append("docs/map.md is stale")
    if (guide := _GUIDE.read_text(encoding="utf-8")) != pacing.page(guide):
        found.append("docs/teaching.md has other minutes than the lessons")
    return found + _untranslated(lessons, release)


def _readme(repository: str) -> str:
    page = measured.readme(opening.readme(_README.read_text(encoding="utf-8"), repository))
    return in_language.with_switch(page, "README.md", "en")


if __name__ == "__main__":
    raise SystemExit(main())
