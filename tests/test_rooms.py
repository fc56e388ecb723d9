"""The rooms of grader/: which room a module is in, what it may import, and what a running worker has loaded."""

import ast
import graphlib
import re
import tomllib

import pytest
from conftest import ROOT

from grader.judge import zygotes
from grader.spec import Call

ROOMS = tomllib.loads((ROOT / "grader" / "rooms.toml").read_text(encoding="utf-8"))
ALLOWED = {room: set(others) for room, others in ROOMS["imports"].items()}
# Texts that join an answer, or that are run as one: they import nothing of the course but what an answer may.
TEXTS = (
    "grader.lessons.drivers.", "grader.lessons.lesson_06_kernels.", "grader.lessons.lesson_16_functions.",
    "grader.racing.drivers.",
)  # fmt: skip


def modules():
    """{module: file} of grader/, texts for answers left out."""
    found = {}
    for path in (ROOT / "grader").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if not name.startswith(TEXTS):
            found[name] = path
    return found


MODULES = modules()


def room(module):
    named = next((room for room, listed in ROOMS["modules"].items() if module in listed), None)
    return named or module.split(".")[1]


def imported(module):
    """The modules of the course that a module imports anywhere in its text."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] + "." if node.level else ""
            source = (above + (node.module or "")).rstrip(".")
            names = [full if (full := f"{source}.{a.name}") in MODULES else source for a in node.names]
        yield from (name for name in names if name in MODULES)


def test_every_module_is_in_a_room():
    """A folder that the table does not know, or a name in the table that leads nowhere, is a mistake."""
    assert set(ALLOWED) == {room(module) for module in MODULES}
    assert {name for listed in ROOMS["modules"].values() for name in listed} <= set(MODULES)


@pytest.mark.of_every_exercise
def test_imports_between_rooms_are_those_of_the_table():
    """Every import of every module counts, also one inside a function; and the table allows no more than there are."""
    seen = {name: set() for name in ALLOWED}
    for module in MODULES:
        for other in imported(module):
            if room(other) != room(module):
                assert room(other) in ALLOWED[room(module)], f"{module} imports {other}"
                seen[room(module)].add(room(other))

    assert ALLOWED == seen


def test_no_room_imports_one_that_imports_it():
    """Raises CycleError where rooms import each other in a circle."""
    order = list(graphlib.TopologicalSorter(ALLOWED).static_order())

    assert set(ALLOWED) == set(order)


def test_a_package_says_who_runs_it_what_it_may_import_and_where_to_start():
    """In its docstring, whose list of rooms is that of the table; and the file that it begins with is there."""
    for name in sorted(ALLOWED.keys() - ROOMS["modules"].keys()):
        said = ast.get_docstring(ast.parse((ROOT / "grader" / name / "__init__.py").read_text(encoding="utf-8")))
        may = ", ".join(sorted(ALLOWED[name])) or "nothing of the course"

        assert re.search(r"^Runs in: \S.*[.]$", said, re.MULTILINE), name
        assert f" May import: {may}. " in " ".join(said.split()), name
        start = re.search(r"^Start reading: (\S+?[.]\w+)", said, re.MULTILINE)[1]
        assert (ROOT / "grader" / name / start).exists(), f"{name} begins with {start}"
        files = [path.stem for path in (ROOT / "grader" / name).glob("*.py")]
        missing = [stem for stem in files if not re.search(rf"\b{stem}\b", said) and not re.search("^__|_[0-9]", stem)]
        assert missing == [], f"the map of {name} leaves them out"


def test_a_running_worker_holds_nothing_of_the_judge():
    """Its modules are those of the worker's rooms: no cases, no comparison, no mistake, none of the learner's names."""
    source = "import sys\ndef f(): return sorted(m for m in sys.modules if m.split('.')[0] == 'grader')"
    with zygotes.get().open(source, 10.0) as session:
        loaded = session.run(Call("call", "f")).value

    assert set(ROOMS["processes"]["worker"]) == {room(module) for module in loaded}
    assert [module for module in loaded if room(module) == "public"] == ["grader"]


def test_a_lesson_imports_no_other_lesson():
    """Lessons may be read, changed and moved alone."""
    lessons = [module for module in MODULES if re.fullmatch(r"grader[.]lessons[.]lesson_\d\d", module)]

    assert [other for lesson in lessons for other in imported(lesson) if other in lessons] == []


PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
DECISIONS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]


def reached(name):
    """The rooms that a room imports, directly or through others."""
    return ALLOWED[name].union(*map(reached, ALLOWED[name]))


def test_the_picture_of_the_rooms_is_that_of_the_table():
    """An arrow for each import that does not follow from others."""
    needed = {(a, b) for a in ALLOWED for b in ALLOWED[a] if not any(b in reached(c) for c in ALLOWED[a] - {b})}

    assert needed == set(re.findall(r"^    (\w+) --> (\w+)$", PAGE, re.MULTILINE))


def test_the_pages_about_the_code_name_files_that_exist():
    """Also where a path is relative to grader/ or to a room."""
    for path in set(re.findall(r"`([\w/]+\.(?:py|toml|h|cpp|md))`", "".join([PAGE, *DECISIONS]))):
        found = [*ROOT.glob(path), *ROOT.glob(f"grader/{path}"), *ROOT.glob(f"grader/**/{path}")]
        assert found or path.startswith("lessons/lesson_NN"), path


def test_global_state_is_listed():
    """Names of modules that a function binds anew, and containers and locks that a module makes to be changed."""
    found = set()
    for module in MODULES:
        tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
        names = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                empty = ast.unparse(node.value) in ("{}", "[]", "set()", "dict()", "threading.Lock()", "State()")
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                names |= {target.id} if empty and isinstance(target, ast.Name) else set()
        found |= {f"{module.removeprefix('grader.')}.{name}" for name in names}

    assert found <= set(re.findall(r"`([\w.]+)`", PAGE.split("## Global state")[1].split("\n## ")[0]))


def test_nothing_is_left_for_the_author_to_write():
    """The skeleton of `python -m grader new` marks what is still to be written."""
    texts = [*ROOT.glob("grader/**/*.py"), *ROOT.glob("solutions/*.py"), *ROOT.glob("tests/*/*.py")]
    left = [p.name for p in texts if p.name != "new.py" and "AUTHOR" + ":" in p.read_text(encoding="utf-8")]

    assert left == []
