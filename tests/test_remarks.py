"""Remarks: a right answer that is slow or careless hears of it, and loses no point."""

import pytest
from conftest import stored

from grader import lessons
from grader.judge.judge import judge
from grader.mistakes.mutant import reference
from grader.spec import Answer, Evidence

RIGHT = stored("right")
CHUNKS = (
    "    const int per = (n_cols + blockDim.x - 1) / blockDim.x;\n"
    "    for (int c = threadIdx.x * per; c < threadIdx.x * per + per && c < n_cols; c++) "
)
STORED = "    if (lane == 0) {\n        ms[warp] = m;\n        ds[warp] = d;\n    }"
# (exercise, right answer, text of it and what is there instead, words of the remark)
CARELESS = {
    "a number a step": ("3.1", "03_copy_lane_by_lane", "", "", "loads one number in each step"),
    "steps of the whole row": ("9.1", "", "range(0, split_size, BLOCK)", "range(0, n_cols, BLOCK)", "as many steps as"),
    "warps left out": ("5.2", "", ", num_warps=warps_for(block)", "", "leaves num_warps at 4"),
    "whole warps store": ("12.7", "", STORED, STORED.split("{")[1].split("}")[0], "All 32 threads of a warp store"),
    "no cast": ("7.1", "07_half_as_in_lesson_05", "", "", "No line of your kernel casts"),
}
JUDGED = {
    "steps of the whole row": CARELESS["steps of the whole row"],
    "chunks": ("12.5", "", "    for (int c = me; c < n_cols; c += blockDim.x) y[c]", CHUNKS + "y[c]", "lie apart"),
}


def answer(exercise, name, old, new):
    text = next((kept.source for kept in RIGHT if kept.name == name), None) or reference(exercise)
    assert not old or text.count(old) == 1, text
    return Answer(text.replace(old, new) if old else text)


def remarks(exercise, answer):
    """By the text alone."""
    return [sentence for sentence, detect in lessons.exercises()[exercise].remarks if detect(None, Evidence(), answer)]


@pytest.mark.parametrize("careless", [pytest.param(each, id=name) for name, each in CARELESS.items()])
def test_a_careless_answer_is_told(careless):
    exercise, *parts, words = careless

    assert [words in " ".join(each.split()) for each in remarks(exercise, answer(*careless[:4]))] == [True], parts


@pytest.mark.parametrize("careless", [pytest.param(each, id=name) for name, each in JUDGED.items()])
def test_it_keeps_its_points(careless):
    result = judge(lessons.exercises()[careless[0]], answer(*careless[:4]))

    assert result.score == result.max_score, result.text
    assert [careless[4] in " ".join(each.split()) for each in result.remarks] == [True]


def test_other_right_answers_hear_nothing():
    """The course's own answers, and those that do the same in another way."""
    told = {
        exercise: remarks(exercise, Answer(reference(exercise))) for exercise in ("3.1", "3.3", "5.2", "7.1", "9.1")
    }
    told |= {kept.name: remarks("9.1", Answer(kept.source)) for kept in RIGHT if kept.name.startswith("09_partial")}
    told |= {kept.name: remarks("7.1", Answer(kept.source)) for kept in RIGHT if kept.name.startswith("07_half")}
    told |= {kept.name: remarks("3.3", Answer(kept.source)) for kept in RIGHT if kept.name.startswith("03_max")}

    assert {name for name, found in told.items() if found} == {"07_half_as_in_lesson_05"}
