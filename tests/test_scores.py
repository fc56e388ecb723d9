"""progress(): what the checks have shown, at a glance and as a file."""

import json
import sys
import types
from dataclasses import replace

import pytest

from grader import environment, lessons, own_way, progress, recall
from grader.__main__ import main
from grader.notebook import api, progress_store, right_answers
from grader.spec import Answer


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A course whose progress is kept in a file of its own, with nothing in it."""
    file = tmp_path / "progress.json"
    monkeypatch.setenv("FIVE_PASSES_PROGRESS", str(file))
    monkeypatch.setattr(progress_store, "_session", {})
    return file


def test_it_shows_points_marks_and_what_is_next(book, capsys):
    """Full points, a share of them, and none look different."""
    for exercise in lessons.of_lesson("00"):
        progress_store.remember(exercise.id, exercise.points)
    progress_store.remember("1.1", 0.0)
    progress_store.remember("6.4", 1.5)
    progress()
    shown = capsys.readouterr().out

    all_of = {number: points for number, (_, points) in lessons.OUTLINE.items()}
    marks = " ".join(f"{exercise.id} ✓" for exercise in lessons.of_lesson("00"))
    assert f"00  ██████████  {all_of['00']} of {all_of['00']} points  check_your_bench  {marks}\n" in shown
    assert f"0 of {all_of['01']} points  five_passes  1.1 ✗\n" in shown
    assert f"1.5 of {all_of['06']} points  green_tests_lie  6.4 1.5\n" in shown
    assert "all lessons" in shown and "next: 1.1 naive_softmax, in lesson 01" in shown


def test_it_survives_a_restart(book, monkeypatch):
    """A new session knows what an earlier one has shown."""
    progress_store.remember("0.1", 1.0)
    monkeypatch.setattr(progress_store, "_session", {})

    assert progress_store.current() == {"0.1": 1.0}


@pytest.mark.parametrize("text", ["", "[]", '{"0.1": "much"}', "{", '{"9.9": 5}'])
def test_a_damaged_file_costs_no_more_than_what_it_held(book, text):
    """It is overwritten by the next check."""
    book.write_text(text)
    progress_store.remember("4.1", 2.0)

    assert progress_store.current() == {"4.1": 2.0}
    assert json.loads(book.read_text())["4.1"] == 2.0


def test_nobody_has_more_points_than_an_exercise_gives(book):
    """The file is the learner's own, and text."""
    book.write_text('{"0.1": 100, "1.1": -3}')

    assert progress_store.current() == {"0.1": 1.0, "1.1": 0.0}


def test_a_saved_file_claims_what_the_checks_showed_and_no_more(book, tmp_path, capsys):
    """Public checks passed; not a grade."""
    progress_store.remember("0.1", 1.0)
    progress_store.remember("6.4", 1.5)
    progress(save=str(tmp_path / "mine.json"))
    saved = json.loads((tmp_path / "mine.json").read_text())

    assert saved["public checks passed"] == ["0.1"]
    assert saved["points"] == {"0.1": 1.0, "6.4": 1.5}
    assert set(lessons.exercises()) == set(saved["possible"])
    assert "Public checks" in saved["says"] and "1 of " in capsys.readouterr().out


def test_a_place_that_cannot_be_written_is_a_sentence(book, capsys):
    """And no traceback."""
    progress(save="/proc/nothing/mine.json")

    assert "Nothing was saved: /proc/nothing/mine.json cannot be written" in capsys.readouterr().out


@pytest.fixture
def colab(tmp_path, monkeypatch):
    """A session of Colab into which the course was fetched; its Drive is mounted once the folder is made."""
    monkeypatch.delenv("FIVE_PASSES_PROGRESS", raising=False)
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    monkeypatch.setattr(environment, "ROOT", tmp_path / "content" / "five_passes")
    monkeypatch.setattr(progress_store, "_DRIVE", tmp_path / "content" / "drive" / "MyDrive")
    monkeypatch.setattr(progress_store, "_session", {})
    environment.ROOT.mkdir(parents=True)
    return progress_store._DRIVE


def test_in_colab_it_lands_on_a_drive_that_is_mounted_at_any_time(colab, monkeypatch):
    """With all that was earned before, in this session and in an earlier kernel; and the next finds it there."""
    progress_store.remember("0.1", 1.0)
    assert progress_store.kept().startswith("ends with this session. To keep it, mount your Drive")
    monkeypatch.setattr(progress_store, "_session", {})  # the kernel was restarted

    colab.mkdir(parents=True)
    progress_store.remember("5.1", 2.0)
    assert progress_store.kept() == "kept on your Drive, in five_passes_progress.json"
    assert json.loads((colab / "five_passes_progress.json").read_text()) == {"0.1": 1.0, "5.1": 2.0}

    monkeypatch.setattr(progress_store, "_session", {})
    (environment.ROOT / ".progress.json").unlink()  # another machine, another day
    assert progress_store.current() == {"0.1": 1.0, "5.1": 2.0}


def test_a_course_that_lies_on_the_drive_keeps_its_progress_itself(colab, monkeypatch):
    """Who cloned it there has one file, beside the course."""
    monkeypatch.setattr(environment, "ROOT", colab / "course")
    environment.ROOT.mkdir(parents=True)
    progress_store.remember("0.1", 1.0)

    assert progress_store.kept() == "kept on your Drive, in course/.progress.json"
    assert json.loads((colab / "course" / ".progress.json").read_text()) == {"0.1": 1.0}


def test_a_drive_is_for_colab_and_for_nobody_who_chose_a_file(colab, monkeypatch, tmp_path):
    """A folder of that name elsewhere is not touched; a chosen file is what counts, in Colab too."""
    colab.mkdir(parents=True)
    monkeypatch.setenv("FIVE_PASSES_PROGRESS", str(tmp_path / "mine.json"))
    progress_store.remember("0.1", 1.0)
    assert progress_store.kept() is None and (tmp_path / "mine.json").exists()

    monkeypatch.delenv("FIVE_PASSES_PROGRESS")
    monkeypatch.delitem(sys.modules, "google.colab")
    progress_store.remember("0.1", 1.0)
    assert progress_store.kept() is None and list(colab.iterdir()) == []


RIGHT, WRONG = (f"def double(x):\n    return {value}" for value in ("2 * x", "x * x"))


@pytest.fixture
def fresh(book, monkeypatch):
    """The same course, of which no answer is kept in this process either."""
    monkeypatch.setattr(right_answers, "_session", {})
    return book


def checked(source):
    return api.checked(lessons.exercises()["0.1"], Answer(source))


def test_the_last_right_answer_is_kept_and_a_wrong_one_is_not(fresh, monkeypatch, capsys):
    """In a terminal it is printed, in a later session too; what is damaged costs no more than what it held."""
    checked("# an older one\n" + RIGHT)
    checked(RIGHT)
    assert checked(WRONG).status == "failed"
    monkeypatch.setattr(right_answers, "_session", {})
    recall("0.1")
    assert capsys.readouterr().out == RIGHT + "\n"

    progress_store.beside("right").write_text('{"0.1": {"source": "half"}}')
    recall("0.1")
    assert capsys.readouterr().out.startswith(
        "No right answer of yours to 0.1 is kept here. Open lesson 00, run the cells"
    )


def test_what_it_moved_is_kept_with_it(fresh, monkeypatch):
    """For the picture of one's own way; a check that counts nothing keeps none."""
    counted = replace(checked(RIGHT), id="5.1", ledger={"read": 1.0, "written": 1.0, "part": None})
    right_answers.remember(Answer("kernel"), counted)
    monkeypatch.setattr(right_answers, "_session", {})

    assert {"0.1": (None, None), "5.1": (1.0, 1.0)} == {i: (k.read, k.written) for i, k in right_answers.kept().items()}


def test_ones_own_way_is_drawn_from_what_is_kept(fresh, capsys):
    """Bars and words of what each answer moves; what passed before answers were kept is named."""
    assert own_way() is None and "No right answer that moves a matrix is kept yet" in capsys.readouterr().out

    passed = checked(RIGHT)
    for number, read, written in (("7.1", 1.0, 1.0), ("1.1", 5.02, 3.02)):
        moved = {"read": read, "written": written, "part": None}
        right_answers.remember(Answer("a kernel"), replace(passed, id=number, ledger=moved))
    progress_store.remember("5.2", 4.0)
    way = own_way()

    assert "Not kept, so not shown: 5.2." in capsys.readouterr().out
    assert "1.1 naive_softmax reads 5.02 MN and writes 3.02 MN, 540 MB. 7.1" in repr(way) and "67 MB." in repr(way)
    (axes,) = way.figure().axes
    assert 4 == len(axes.patches)
    assert ["5.02 + 3.02 MN", "1.00 + 1.00 MN"] == [text.get_text().strip() for text in axes.texts]


def test_the_command_prints_nothing_but_the_answer(fresh, capsys):
    """An editor reads it into a file."""
    checked(RIGHT)
    capsys.readouterr()

    assert main(["recall", "0.1"]) == 0
    assert capsys.readouterr() == (RIGHT + "\n", "")
    assert main(["recall", "5.1"]) == 2
    assert main(["recall", "9.9"]) == 2
    out, said = capsys.readouterr()
    assert out == "" and "No right answer of yours to 5.1" in said and "There is no exercise '9.9'" in said
