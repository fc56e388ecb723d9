"""Every wrong answer is refused by name; every right one passes, however it is written."""

import pytest
from conftest import stored

from grader import answer, lessons
from grader.judge import judge
from grader.mistakes import MISTAKES

WRONG, RIGHT = stored("wrong"), stored("right")


def verdict(kept, seconds=20.0):
    exercise = lessons.exercises()[kept.exercise]
    return judge(exercise, answer.extract([kept.source], exercise.names), seconds=seconds)


@pytest.mark.parametrize("kept", WRONG, ids=lambda k: k.name)
def test_a_wrong_answer_is_refused_and_named(kept):
    """The mistake in the file's header is the one the learner reads."""
    result = verdict(kept, seconds=3.0 if kept.mistake == "endless" else 20.0)

    assert kept.mistake == result.mistake, result.text
    assert 0 == result.score
    assert result.status in ("failed", "error", "timeout")


@pytest.mark.parametrize("kept", WRONG, ids=lambda k: k.name)
def test_every_wrong_answer_belongs_to_a_known_mistake(kept):
    """An id in a header that the registry does not know could never be printed."""
    assert kept.mistake in MISTAKES


@pytest.mark.parametrize("kept", RIGHT, ids=lambda k: k.name)
def test_a_right_answer_in_another_style_passes(kept):
    """A right answer refused is as bad as a wrong one accepted."""
    result = verdict(kept)

    assert "passed" == result.status, result.text
    assert result.max_score == result.score


def test_every_mistake_has_a_wrong_answer():
    """A name that no stored answer earns is a name nobody has seen printed."""
    untested = set(MISTAKES) - {kept.mistake for kept in WRONG} - ELSEWHERE

    assert set() == untested


# Named by tests of their own: they depend on the session or the machine and not on an answer's text.
ELSEWHERE = {"todo-left", "earlier-todo", "interpret-too-late", "not-python", "refused-by-compiler", "out-of-bounds"}
