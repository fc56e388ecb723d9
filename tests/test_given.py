"""The course's own functions, handed to answers: right ones right, wrong ones wrong, all out of reach."""

import ast
import re

import pytest
import torch
from conftest import ROOT

from grader import lessons
from grader.checks import compare, inputs
from grader.judge import extract, oracle
from grader.judge.judge import judge
from grader.judge.time_limit import TimeLimit
from grader.judge.zygotes import Deadline
from grader.lessons import lesson_06, lesson_16
from grader.reference import cross_entropy as losses
from grader.spec import Given

FOLDER = ROOT / "grader" / "lessons" / "lesson_06_kernels"
WRONG = [name for names in lesson_06.WRONG.values() for name in names]


@pytest.fixture(scope="module")
def run():
    runner = oracle.Oracle(TimeLimit(600))
    yield lambda file, name, x: runner.run(Given((FOLDER / f"{file}.py").read_text(), name), x)
    runner.close()


def matrices():
    g = inputs.generator(0)
    families = [inputs.randn, inputs.far_below_zero, inputs.large, inputs.cliff, inputs.one_minus_inf, inputs.constant]
    made = [family(m, n, g) for family in families for m, n in [(3, 5), (17, 8), (20, 1)]]
    made[2][:] = 3.0  # one column, no -inf
    return [x for x in made if not x.isinf().all(dim=1).any()] + [
        inputs.randn(2, 1500, g),
        inputs.row_strided(inputs.randn(4, 6, g)),
        inputs.column_strided(inputs.randn(4, 6, g)),
    ]


@pytest.mark.whole
def test_what_an_answer_asks_for_takes_the_answers_time():
    """That of all functions together, and of the call that asks: each had a limit of its own."""
    limit = TimeLimit(60)
    runner = oracle.Oracle(limit)
    for name in "fg":
        assert runner.run(Given(f"def {name}(x): return x", name), torch.ones(2)).error is None

    assert {session.limit for session in runner._sessions.values()} == {limit}
    with pytest.raises(Deadline):
        # Long ago, however busy this machine is.
        runner.run(Given("def f(x): return x", "f"), torch.ones(2), until=-1000.0)
    runner.close()


@pytest.mark.parametrize("name", lesson_06.RIGHT)
def test_a_right_kernel_is_right(run, name):
    """On every family, shape and layout; and the input stays as it is."""
    for x in matrices():
        kept = x.clone()
        evidence = run("right", name, x)

        assert evidence.error is None, evidence.error
        assert compare.softmax(kept, evidence.value) is None
        assert torch.equal(kept, evidence.args[0])


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_is_wrong(run, name):
    """On one of those inputs at least; running the same input twice with other values counts too."""
    caught = 0
    for x in [*matrices(), *(-x.nan_to_num() for x in matrices())]:
        kept = x.clone()
        evidence = run("wrong", name, x)
        caught += bool(evidence.error or compare.softmax(kept, evidence.value))
        caught += not torch.equal(kept, evidence.args[0]) if evidence.args else 0

    assert caught


PAIRS = ROOT / "grader" / "lessons" / "lesson_16_functions"
WRONG_PAIRS = [name for names in lesson_16.WRONG.values() for name in names]


def faults(runner, file, name):
    """What is wrong with a pair of a loss and its gradient on some logits and targets: sentences."""
    g, source, found = inputs.generator(3), (PAIRS / f"{file}.py").read_text(), []
    logits = [family(6, n, g) for family in (inputs.randn, inputs.far_below_zero, inputs.large) for n in (7, 300)]
    for x in [*logits, 20 * inputs.randn(6, 40, g), inputs.randn(3, 2500, g)]:
        target = torch.randint(x.shape[1], (len(x),), generator=g)
        target[0], target[-1], target[1] = 0, x.shape[1] - 1, -100
        kept = x.clone()
        loss, dx = (runner.run(Given(source, f"{name}_{part}"), x, target) for part in ("loss", "gradient"))
        assert not loss.error and not dx.error, (loss.error, dx.error)
        allowed = losses.losses_bound(kept).amax() + 1e-6
        off = abs(loss.value.double() - losses.mean(kept, target, -100)) <= allowed
        scale = 1 / int((target != -100).sum())
        found += [not off, losses.wrong_gradient(dx.value, kept, target, -100, scale)]
        found += [not torch.equal(kept, each.args[0]) for each in (loss, dx)]
    return [each for each in found if each]


def test_pairs_of_a_loss_and_its_gradient_are_what_they_should_be():
    """Each right pair is right everywhere, and each wrong one is wrong somewhere."""
    runner = oracle.Oracle(TimeLimit(600))

    assert {name: faults(runner, "right", name) for name in lesson_16.RIGHT} == {name: [] for name in lesson_16.RIGHT}
    assert [name for name in WRONG_PAIRS if not faults(runner, "wrong", name)] == []
    runner.close()


def test_lesson_16_says_how_many_there_are():
    """Five right pairs and seventeen wrong ones."""
    text = (ROOT / "solutions" / "16_cross_entropy.py").read_text()

    assert "five right pairs and on seventeen wrong ones" in text.replace("\n# ", " ")
    assert (len(lesson_16.RIGHT), len(WRONG_PAIRS)) == (5, 17)


def test_the_lesson_says_how_many_there_are():
    """Eight right and twenty-two wrong ones, and every function of the files is used."""
    text = (ROOT / "solutions" / "06_green_tests_lie.py").read_text()

    assert "eight right kernels" in text and len(lesson_06.RIGHT) == 8
    assert re.search(r"twenty-two\s+(# )?wrong ones", text) and len(WRONG) == 22


def test_the_lesson_shows_the_kernels_that_the_check_runs():
    """Character by character."""
    source = (FOLDER / "broken.py").read_text()
    lesson = (ROOT / "solutions" / "06_green_tests_lie.py").read_text()

    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            assert ast.get_source_segment(source, node) in lesson, node.name


@pytest.mark.whole
def test_an_answer_cannot_look_into_what_it_is_handed():
    """The function it gets is a line to the judge: no kernel is in its process."""
    source = """
import gc, types
def test_softmax(softmax):
    names = [f.__qualname__ for f in gc.get_objects() if isinstance(f, types.FunctionType)]
    assert "test_softmax" in names and not {"halves_swapped", "tile_kernel", "one_row"} & set(names)
"""
    exercise = lessons.exercises()["6.4"]
    result = judge(exercise, extract.extract([source], exercise.names))

    assert result.mistake != "test-refuses-right", result.text
    assert result.score == 0 and result.score == 0


def test_a_red_test_says_for_which_input():
    """The shape of the last matrix that it gave to the softmax, and the smallest and the largest value."""
    source = """
import torch
def test_softmax(softmax):
    for x in torch.ones(2, 3), torch.tensor([[0.0, -200.0, -300.0]]):
        assert softmax(x).min() > 0
"""
    exercise = lessons.exercises()["6.4"]
    result = judge(exercise, extract.extract([source], exercise.names))

    assert "(the last input before it was 1 × 3, with values from -300 to 0)" in " ".join(result.text.split())


@pytest.mark.whole
def test_what_is_handed_over_is_no_tensor():
    """A sentence, and the process goes on."""
    for value in ("3", "None", "[[1.0, 2.0]]", "torch.ones(2, 2, dtype=torch.complex64)"):
        source = f"import torch\ndef test_softmax(softmax):\n    softmax({value})"
        exercise = lessons.exercises()["6.4"]
        result = judge(exercise, extract.extract([source], exercise.names))

        assert (result.status, result.score) == ("error", 0), result.text
        assert "a right kernel" in result.message and "ended before" not in result.message
