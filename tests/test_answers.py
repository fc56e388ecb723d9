"""Every wrong answer is refused by name; every right one passes, however it is written."""

import re
import runpy

import pytest
from conftest import ROOT, decisive, judged_at_once, one_of_each, stored, until_the_first_failure

from grader import environment, lessons
from grader.judge import extract
from grader.judge.judge import judge
from grader.mistakes.errors import from_error
from grader.mistakes.mutant import reference
from grader.mistakes.registry import MISTAKES

WRONG, RIGHT = stored("wrong"), stored("right")
DECISIVE = decisive()


def verdict(kept, seconds=20.0):
    if kept.since and numbers(environment.triton()) < numbers(kept.since):
        pytest.skip(f"Triton {environment.triton()} takes it in another way than Triton {kept.since}")
    exercise = lessons.exercises()[kept.exercise]
    return judge(exercise, extract.extract([kept.source], exercise.names), seconds=seconds)


def numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def shares_points(number):
    return any(case.group for case in lessons.exercises()[number].cases(1))


OF_FORMULAS = [kept for kept in WRONG if kept.name in DECISIVE]
NAMED_BY_FORMULAS = {kept.mistake for kept in OF_FORMULAS}


@pytest.mark.parametrize("kept", OF_FORMULAS, ids=lambda kept: kept.name)
def test_a_formula_names_its_answer(kept):
    """Where several mistakes lose the same first case, only the whole check tells which one it is."""
    if DECISIVE[kept.name] != "all":
        with until_the_first_failure():
            if verdict(kept).mistake == kept.mistake:
                return
    result = verdict(kept)

    assert kept.mistake == result.mistake, result.text


def kind(kept):
    """`make test` judges one answer each of some mistakes that have no decisive one."""
    some = kept.mistake not in NAMED_BY_FORMULAS and judged_at_once(kept.mistake, kept.exercise)
    return str(kept.mistake) if some else None


@pytest.mark.parametrize("kept", one_of_each(WRONG, kind))
def test_a_wrong_answer_is_refused_and_named(kept):
    """The mistake in the file's header is the one the learner reads."""
    result = verdict(kept, seconds=1.0 if kept.mistake in ("endless", "waits-for-others") else 20.0)

    assert kept.mistake == result.mistake, result.text
    assert result.score < result.max_score if shares_points(kept.exercise) else result.score == 0
    assert result.status in ("failed", "error", "timeout")


@pytest.mark.of_every_exercise
def test_every_wrong_answer_belongs_to_a_known_mistake():
    """An id in a header that the registry does not know could never be printed."""
    assert {kept.name: kept.mistake for kept in WRONG if kept.mistake not in {None, *MISTAKES}} == {}


def test_the_answers_that_tell_whether_a_formula_works_are_there():
    """A renamed one would be judged by nobody but `make answers`."""
    assert DECISIVE.keys() - {kept.name for kept in WRONG} == set()


def test_decisive_answers_of_one_exercise_are_found_anew_with_those_of_its_formulas():
    """9.3 has formulas of 9.2, whose answers in the file may be there for these; 14.1 shares none."""
    judged = runpy.run_path(str(ROOT / "tools" / "record" / "decisive.py"))["judged"]
    found = judged(WRONG, {"9.3"}, {*DECISIVE})
    beside = {kept.name for kept in found if kept.exercise != "9.3"}

    assert [kept for kept in found if kept.exercise == "9.3"] == [kept for kept in WRONG if kept.exercise == "9.3"]
    assert beside <= {*DECISIVE} and {name.split("/")[0] for name in beside} >= {"9.2"}
    assert not any(name.startswith("14.1/") for name in beside)
    assert judged(WRONG, set(), {*DECISIVE}) == WRONG


@pytest.mark.parametrize("kept", one_of_each(RIGHT, lambda kept: kept.exercise))
def test_a_right_answer_in_another_style_passes(kept):
    """A right answer refused is as bad as a wrong one accepted."""
    result = verdict(kept)

    assert result.status == "passed", result.text
    assert result.max_score == result.score


@pytest.mark.of_every_exercise
def test_every_mistake_has_a_wrong_answer():
    """A name that no stored answer and no mutant earns is a name nobody has seen printed."""
    mutants = {mistake.id for mistake in MISTAKES.values() if mistake.mutants}
    untested = set(MISTAKES) - {kept.mistake for kept in WRONG} - mutants - ELSEWHERE

    assert untested == set()


# Named by tests of their own: they depend on the session or the machine and not on an answer's text alone.
ELSEWHERE = {
    "todo-left",
    "kept-by-address",
    "earlier-todo",
    "interpret-too-late",
    "not-python",
    "indentation",
    "refused-by-compiler",
    "illegal-access",
    "compiler-endless",
    "compiler-fails",
}

KERNEL = """import triton
import triton.language as tl


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
"""


@pytest.mark.parametrize("instead, ends", [("tl.max(numerator", True), ("0 * tl.sum(numerator", False)])
def test_a_check_ends_once_its_failures_tell_the_mistake(instead, ends):
    """Finite wrong numbers do. inf and NaN have many causes, so all cases run."""
    source = reference("5.1").replace("tl.sum(numerator", instead)
    result = check("5.1", source)

    assert (result.status, result.score) == ("failed", 0)
    assert (result.cases_left > 0) == ends == (f"{result.cases_left} not run" in result.text)


def check(number, *cells):
    exercise = lessons.exercises()[number]
    return judge(exercise, extract.extract(list(cells), exercise.names))


def test_an_answer_that_still_waits_for_an_earlier_one():
    """5.2 launches the kernel of 5.1, which is a stub: that is no mistake in 5.2."""
    kernel = KERNEL.replace("softmax_row_kernel(y_ptr, x_ptr, n_cols", "softmax_kernel(y_ptr, x_ptr, n")
    kernel += '    tl.static_assert(False, "TODO 5.1 (1 of 4)")'
    result = check("5.2", kernel, "def fused_softmax(x):\n    softmax_kernel[(1,)](x, x, 4, BLOCK=4)\n    return x")

    assert (result.status, result.mistake) == ("error", "earlier-todo")
    assert "5.2 uses the answer to 5.1, which still holds its TODO" in result.text


def test_the_courses_own_kernels_are_not_reported_as_missing():
    """An answer that launches what grader.fast ships has no kernels for Triton's compiler to see."""
    (kept,) = [kept for kept in RIGHT if kept.name == "14_softmax_launchers_by_name"]

    assert [flag for flag in verdict(kept).flags if "compiler" in flag] == []


def test_a_stub_says_which_step_is_next():
    """The first two of four TODOs are filled in."""
    result = check("4.1", KERNEL + '    tl.static_assert(False, "TODO 4.1 (3 of 4)")')

    assert (result.status, result.score) == ("not_attempted", 0)
    assert "the check stopped at TODO 3 of 4" in " ".join(result.text.split())


def test_a_kernel_that_only_an_interpreter_would_take():
    """try and except are Python, and no Triton."""
    right = next(k.source for k in RIGHT if k.name == "04_exp2").split("BLOCK: tl.constexpr):\n")[1]
    body = (
        "    try:\n"
        + "\n".join("    " + line for line in right.splitlines())
        + "\n    except ValueError:\n        pass\n"
    )
    result = check("4.1", KERNEL + body)

    assert result.mistake == "refused-by-compiler", result.text
    assert "Triton's language has no such construct" in " ".join(result.text.split())


@pytest.mark.skipif(environment.has_gpu(), reason="here the kernel would run")
def test_an_error_on_the_gpu_is_a_sentence(monkeypatch):
    """A run that failed brings no output to look at; here it fails because there is no GPU at all."""
    monkeypatch.setattr(environment, "has_gpu", lambda: True)
    result = verdict(next(k for k in RIGHT if k.name == "04_exp2"))

    assert "right interpreted, but on the GPU:" in " ".join(result.text.split())
    assert (result.status, result.score) == ("error", 0)


def test_a_cell_that_is_no_python_is_pointed_out():
    """The check speaks of it, and never of the definition before it."""
    later = check("0.1", "def double(x): return 2 * x", "def double(x): return 2x")
    alone = check("0.1", "def double(x): return 2x")

    assert ("error", "not-python") == (later.status, later.mistake) == (alone.status, alone.mistake)
    assert later.message.startswith("the cell after `def double(x): return 2 * x` is not Python, so nothing in it ran")
    assert alone.message.startswith("code cell 1 is not Python, so nothing in it ran: invalid decimal literal, in the")


@pytest.mark.parametrize(
    "message, mistake",
    [
        ("Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)", "wrong-device"),
        (
            "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)",
            "triton-outside-kernel",
        ),
        ("Cannot call @triton.jit'd outside of the scope of a kernel", "no-grid"),
        ("CUDA error: an illegal memory access was encountered\nCompile with `TORCH_USE_CUDA_DSA`.", "illegal-access"),
        ("Cannot access global variable PAD from within @jit'ed function.", "plain-global"),
        ("0 active drivers ([]). There should only be one.", "interpret-too-late"),
        ("CUDA out of memory. Tried to allocate 93.13 GiB.", "out-of-memory"),
    ],
)
def test_what_triton_says_is_put_into_words(message, mistake):
    """Messages that only other machines produce."""
    assert mistake == from_error({"type": "ValueError", "message": message, "line": ""})
