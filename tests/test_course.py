"""The course as a whole: points, texts, names."""

import importlib
import json

import pytest
from conftest import ROOT

import grader
from grader import environment, lessons
from grader.bench import per_lesson
from grader.gpus import GPUS
from grader.judge import replay
from grader.judge.judge import in_order
from grader.mistakes import registry
from grader.mistakes.registry import MISTAKES
from grader.reference import residency, tuning

EXERCISES = list(lessons.exercises().values())


@pytest.mark.of_every_exercise
def test_the_points_of_the_course_add_up_to_100():
    """And those of each lesson to what the outline says."""
    assert sum(points for _, points in lessons.OUTLINE.values()) == 100
    for number in {lessons.number_of(e.id) for e in EXERCISES}:
        assert lessons.OUTLINE[number][1] == sum(e.points for e in lessons.of_lesson(number) if not e.bonus)


def test_the_public_names_are_these():
    """Twelve words for learners, and the audit of a kernel that is not of the course; nothing else is promised."""
    names = (
        "audit check device doctor hint launch machine_code own_card own_way progress race recall trace traffic".split()
    )
    assert names == sorted(grader.__all__)
    assert all(callable(getattr(grader, name)) for name in grader.__all__)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_every_exercise_is_complete(exercise):
    """Three hints, known mistakes, cases that differ in label, and the same cases for the same seed."""
    assert len(exercise.hints) == 3 and all(h.endswith((".", "?", "`")) for h in exercise.hints)
    assert {name for name, _ in exercise.mistakes} - set(MISTAKES) == set()
    labels = [c.label for c in exercise.cases(1)]
    assert len(labels) == len(set(labels)) >= 2
    assert labels == [c.label for c in exercise.cases(1)]


ONE_TENSOR = ("the lowest values of the dtype, float16, 5×6 in blocks of 8",)  # there is one lowest number
# Cases that are the same for every seed, in exercises that are not open-book: there is one such input alone.
CONSTANT = {
    "3.3": {"ragged, only -inf, 5×6 in blocks of 8"},  # a row without a finite number
    "4.3": {"n_cols = 1", "n_cols = 2", "n_cols = 3"},  # the first powers of two
    "7.2": {f"{name}, n = {n}" for name in ("float32", "float16", "bfloat16") for n in (1, 32768, 131072)},  # extremes
    "8.1": {"no number at all"},
    "8.2": {"nothing and nothing, (-inf, 0) and (-inf, 0)"},
    "14.2": {"not a matrix that it promises to take: None"},
    "14.3": {"not a matrix that it promises to take: None"},
}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_every_case_is_drawn(exercise):
    """No call is the same whatever the seed, but for the listed ones and those of open-book exercises."""
    first, *others = ({replay._key(case.call): case.label for case in in_order(exercise, seed)} for seed in range(1, 9))
    same = {label for key, label in first.items() if all(key in other for other in others)}

    if not exercise.open_book:
        assert CONSTANT.get(exercise.id, set()) == same
    else:
        assert exercise.id not in CONSTANT and (same or "drawn" in exercise.open_book)


def test_every_tensor_is_drawn():
    """Two seeds give no tensor twice, and no case of an open-book exercise has one."""
    for exercise in EXERCISES:
        for a, b in zip(exercise.cases(1), exercise.cases(2)):
            tensors = [pair for pair in zip(a.call.args, b.call.args) if hasattr(pair[0], "numel")]
            assert not (tensors and exercise.open_book)
            if tensors and a.label not in CONSTANT.get(exercise.id, ()) and a.label not in ONE_TENSOR:
                assert not all(x.shape == y.shape and x.equal(y) for x, y in tensors), (exercise.id, a.label)


RECORD = json.loads((ROOT / "records" / "softmax_on_h200.json").read_text())


def test_the_records_hold_what_every_lesson_shows_of_a_gpu():
    """One run for most lessons, one for each of the last two; by the modules that are here now, nothing left out."""
    modules = {
        lesson: importlib.import_module(f"grader.bench.per_lesson.{name}")
        for lesson, name in per_lesson.LESSONS.items()
    }

    others = (ROOT / "records" / f"{name}_on_h200.json" for name in ("routes", "tuning"))
    records = [RECORD, *(json.loads(path.read_text()) for path in others)]
    for record in records:
        assert record["left_out"] == [] and record["command"].startswith("python -m grader bench --gpu")
    shown = {number: made["what"] for record in records for number, made in record["lessons"].items()}
    assert {n: m.WHAT for n, m in modules.items()} == shown


def test_the_notes_count_the_very_short_rows_as_the_record_does():
    """Who is the fastest, who is level with QuACK, who is behind."""
    times = [run["microseconds"] for run in RECORD["results"] if run["m"] == 4096 and run["n"] <= 1000]
    behind = [t["softmax"] / min(v for n, v in t.items() if v and n not in ("copy", "softmax")) - 1 for t in times]
    fastest, level = sum(b < 0 for b in behind), sum(0 <= b <= 0.01 for b in behind)
    rest = [b for b in behind if b > 0.01]
    said = " ".join((ROOT / "docs" / "notes_on_the_shipped_kernel.md").read_text(encoding="utf-8").split())

    assert f"fastest on {fastest} of these {len(times)} matrices, within 1 % of QuACK on {level}, and" in said
    assert f"and {100 * max(rest):.0f} % behind it on {len(rest)} (4096×256 and 4096×512 in bfloat16)" in said


def test_the_notes_count_where_a_peer_is_ahead_as_the_record_does():
    """By more than 2 %, forward and backward, and how much the host takes beside QuACK."""

    def ahead(rows):
        times = [row["microseconds"] for row in rows]
        shares = [min(v for n, v in t.items() if v and n not in ("copy", "softmax")) / t["softmax"] for t in times]
        return sum(share < 0.98 for share in shares), f"{100 - 100 * min(shares):.0f} %"

    said = " ".join((ROOT / "docs" / "notes_on_the_shipped_kernel.md").read_text(encoding="utf-8").split())
    (forward, far), (backward, farther) = ahead(RECORD["results"]), ahead(RECORD["backward"])
    assert f"has {len(RECORD['results'])} matrices forward and {len(RECORD['backward'])} backward" in said
    assert f"peer on {forward} of them, by {far} where it is most; the gradient on {backward}, by {farther}." in said
    host = [t["softmax"] / t["QuACK"] for row in RECORD["host"] if (t := row["microseconds"])["QuACK"]]
    assert max(host) <= 1.05 and all(row["microseconds"]["softmax"] < 25 for row in RECORD["host"])


@pytest.mark.whole
@pytest.mark.skipif(environment.has_gpu(), reason="here they would be measured, which takes half a minute")
def test_what_a_machine_cannot_measure_is_named():
    """Nothing is measured here, and each lesson says why."""
    found, missing = per_lesson.run()

    assert found == {} and [f"lesson {n} (" for n in per_lesson.LESSONS] == [line[:11] for line in missing]


def test_what_was_recorded_fits_what_the_lessons_count():
    """Elements as in 1.2 and 2.1, and no run faster than its card's data sheet allows."""
    for run in RECORD["lessons"]["02"]["results"]:
        m, n = run["m"], run["n"]
        once = (m * n, m * n)
        counted = {"copy": once, "fused": once, "five passes": (5 * m * n + 2 * m, 3 * m * n + 2 * m)}
        assert counted[run["what"]] == (run["read"], run["written"])
        assert 4 * sum(counted[run["what"]]) / (run["microseconds"] * 1e-6) < GPUS["H200"].bandwidth


def test_what_was_recorded_of_short_rows_fits_what_lesson_10_counts():
    """As many programs as there are tiles, or as fit by the rule of 10.3, and no run faster than its card allows."""
    lesson = RECORD["lessons"]["10"]
    for run in lesson["results"]:
        way, m = run["what"], run["m"]
        assert 2 * 4 * m * run["n"] / (run["microseconds"] * 1e-6) < GPUS["H200"].bandwidth
        if way.startswith("tile of "):
            assert -(-m // int(way.removeprefix("tile of "))) == run["programs"]
        elif way == "persistent":
            fit = residency.right(lesson["properties"], run["n_regs"], run["shared"], num_warps=4)
            assert min(fit, m) == run["programs"]


def test_the_recorded_splits_are_counted_as_in_lesson_09():
    """Two walks and one store of the matrix; each of a row's splits stores a state and reads all of them."""
    for run in [r for r in RECORD["lessons"]["09"]["results"] if r["n_splits"]]:
        m, n, s = run["m"], run["n"], run["n_splits"]
        assert (2 * m * n + 2 * m * s * s, m * n + 2 * m * s) == (run["read"], run["written"])


def test_the_sweep_that_judges_lesson_15_is_the_recorded_one():
    """Each configuration of a tile, with its time; nothing is left out."""
    recorded = json.loads((ROOT / "records" / "tuning_on_h200.json").read_text())["lessons"]["15"]["results"]
    tiles = {(r["dtype"], r["n"], r["rows"], r["num_warps"]): r for r in recorded if r["kernel"] == "tile"}
    judged = {(*shape, *pair): row for shape, timed in tuning.sweep().items() for pair, row in timed.items()}

    assert tiles.keys() == judged.keys()
    assert all(row.items() <= tiles[key].items() for key, row in judged.items())


@pytest.mark.of_every_exercise
def test_a_mistake_stands_in_one_list():
    """No id stands in the lists of two modules."""
    listed = [mistake.id for found in registry.lists().values() for mistake in found]

    assert sorted(MISTAKES) == sorted(listed)


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=lambda m: m.id)
def test_a_mistake_is_a_sentence_and_a_question(mistake):
    """It says what happened and asks one question; it does not give the fix away."""
    assert mistake.sentence.endswith(".") and mistake.question.count("?") == 1 and mistake.question.endswith("?")
    assert "!" not in mistake.sentence + mistake.question
