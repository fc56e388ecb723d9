"""Shared by all tests: the course on the path, no record of progress, answers kept as files."""

import contextlib
import functools
import gc
import os
import pathlib
import re
import shutil
import sys
import zlib

import pytest

os.environ.setdefault("FIVE_PASSES_PROGRESS", "off")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # one process a core is enough: more threads only wait for each other
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools"), str(ROOT / "tests" / "slow")]


def pytest_addoption(parser):
    parser.addoption("--only", metavar="ID", help="run what belongs to one exercise, such as 5.3")
    parser.addoption("--part", metavar="K/N", help="run each test whose name falls into part K of N")


def pytest_configure(config):
    """Where code of the course raises over a value of an answer, it may be the course that is wrong."""
    config.addinivalue_line("filterwarnings", "error::grader.judge.untrusted.NotHandled")
    gc.disable()  # thousands of tests are made now, which stay


def pytest_collection_finish(session):
    """What is there by now is never looked through again: a collection of all of it takes a third of a second."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure():
    """Libraries that count what is left at the end find nothing."""
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marks
def pytest_collection_modifyitems(config, items):
    """`one_in` becomes a mark. With --part: a part of the tests. With --only: what belongs to an exercise.

    That is the exercise itself, its stored answers, its mistakes, and its lesson's notebooks.
    """
    for item in items:
        for some in item.iter_markers("one_in"):
            if zlib.crc32(item.name.encode()) % some.args[0]:
                item.add_marker(pytest.mark.more_answers)
    if part := config.getoption("--part"):
        part, parts = map(int, part.split("/"))
        items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % parts == part - 1]
    number = config.getoption("--only")
    if not number:
        return
    from grader import lessons

    if number not in lessons.exercises():
        raise pytest.UsageError(f"there is no exercise {number!r}")
    exercise, lesson = lessons.exercises()[number], lessons.number_of(number)
    named = {mistake for mistake, _ in exercise.mistakes}

    def belongs(item):
        for value in getattr(item, "callspec", None) and item.callspec.params.values() or ():
            if number in (getattr(value, "exercise", None), getattr(value, "id", None)):
                return True
            if getattr(value, "id", None) in named or getattr(value, "stem", "").startswith(f"{lesson}_"):
                return True
        return item.get_closest_marker("of_every_exercise") is not None

    kept = [item for item in items if belongs(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


DECISIVE = ROOT / "tests" / "decisive.txt"


def decisive() -> dict[str, str]:
    """{name of a wrong answer by which a broken formula is noticed: "all" where only all its failures tell, or ""}.

    tools/record/decisive.py makes the file.
    """
    return dict(line.partition(" ")[::2] for line in DECISIVE.read_text(encoding="utf-8").splitlines())


@functools.cache  # nine modules ask while tests are collected
def stored(folder: str) -> list:
    """The answers kept in a folder of tests/, each a Stored; of `wrong` also those that are edits in a table."""
    from grader.mistakes import stored as keeping

    return keeping.wrong(ROOT / "tests") if folder == "wrong" else keeping.files(ROOT / "tests" / folder)


# A wrong answer to one of these takes a second and more: `make test` judges only those that a formula needs.
DEAR = {*"6.4 8.3 8.4 9.3 10.2 13.2 13.3 13.4 14.2 14.3 15.3 16.1 16.2 16.3 16.4".split()}


def judged_at_once(mistake, exercise: str) -> bool:
    """Whether `make test` judges an answer that no formula needs: a quarter of the mistakes, chosen by their hash."""
    return exercise not in DEAR and zlib.crc32(str(mistake).encode()) % 4 == 0


@contextlib.contextmanager
def until_the_first_failure():
    """Meanwhile a check ends with the first case that fails: it takes half of the time, and tells most mistakes."""
    from grader.judge.run_cases import Run

    whole = Run._has_told_enough
    Run._has_told_enough = lambda run, case: bool(run.failures)
    try:
        yield
    finally:
        Run._has_told_enough = whole


def one_of_each(answers: list, kind) -> list:
    """All of them as parameters; `make test` judges the first of each kind, and `make answers` the others.

    kind: None for an answer that only `make answers` judges. Those of one exercise should stand together: what its
    mutants gave is kept for the next answer.
    """
    first = {kind(each): id(each) for each in reversed(answers) if kind(each) is not None}
    chosen = {*first.values()}
    return [
        pytest.param(each, marks=[] if id(each) in chosen else pytest.mark.more_answers, id=each.name)
        for each in answers
    ]


def unwrapped(printed: str) -> list[str]:
    """The lines of what was printed; what went on below a line, because that was too wide, is part of it."""
    return re.sub(r"\n {4,}(?=\S)", " ", printed).splitlines()


def working_tree(copy: pathlib.Path) -> None:
    """Copy the course as it is now, without what running and testing it leaves behind."""
    made = ("__pycache__", "results", "build", "screenshots", "pages", "html", "jupyter_execute")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", *made, "five_passes*", "*.zip"))


@pytest.fixture(autouse=True)
def _the_language_of_before():
    """A test that runs a command with --lang, or a cell that names a language, leaves the next one its own."""
    from grader.language import choose

    before = choose._used
    yield
    choose._used = before


@pytest.fixture(scope="module")
def chromium():
    """The browser that this machine has, without a window. A sandbox of its own is refused to root in a container."""
    from playwright.sync_api import sync_playwright  # make test has no browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), chromium_sandbox=os.getuid() != 0
        )
        yield browser
        browser.close()
