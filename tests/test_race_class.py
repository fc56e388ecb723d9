"""A class races: the rows, the ranking, the page, and what no GPU is needed for. No time is measured here."""

import contextlib
import csv
import json
import math
import re
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import nbformat
import pytest
from paper_card import PaperCard
from test_race import eager, paper_races

from grader import lessons
from grader.__main__ import main
from grader.classroom import assignment, executors, grading, race_all, race_rows, seeds
from grader.export import race_points, ranking
from grader.judge.judge import judge
from grader.mistakes import mutant
from grader.racing import race as racing
from grader.racing.raced import Raced
from grader.sentence import said
from grader.spec import Card, Lap, Shape
from grader.timing import peers

SECRET = b"0123456789abcdef"
SHAPES = (Shape((4096, 781)), Shape((33, 20000), True))
CARD = Card("NVIDIA T4", 320e9, 4 << 20)
RIGHT = mutant.reference("5.2")
WRONG = RIGHT.replace("x.stride(0)", "x.shape[1]")


def notebook(*cells):
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells]))


def lap(shape, share, spread=0.01, copy=100.0, **more):
    took = copy / share
    return Lap(shape, "float32", took, (took * (1 - spread / 2), took * (1 + spread / 2)), copy, "graph", 25, **more)


def raced(share, spread=0.01, peers=False, shapes=SHAPES, **more):
    laps = tuple(lap(shape, share * factor, spread) for shape, factor in zip(shapes, (1.1, 1 / 1.1)))
    others = {"torch.softmax": tuple(lap(shape, 0.7) for shape in shapes)} if peers else {}
    return Raced("5.2", CARD, laps, others, True, date="2026-11-29T10:00:00", **more)


@pytest.fixture
def card(monkeypatch):
    """A stand-in for the card: how fast an answer is says a number in its text, `# 0.83`. Returns the answers raced."""
    seen = []

    def race(exercise, answer, secret, on, peers, checked):
        assert checked.status == "passed" and len(secret) == 32
        seen.append((re.search(r"# (\d\S*)", answer.source)[1], peers))
        return raced(float(seen[-1][0]), peers=peers, shapes=on)

    for name, stand_in in {
        "cannot_race_here": lambda exercise: None, "card_name": lambda: CARD.name, "race": race,
        "shapes": lambda exercise, secret, drawn=2: SHAPES,
    }.items():  # fmt: skip
        monkeypatch.setattr(racing, name, stand_in)
    monkeypatch.setattr(executors, "local", lambda *_: contextlib.nullcontext(InPlace().executor()))
    monkeypatch.setattr("grader.judge.judge.judge", judged_once)
    return seen


VERDICTS = {}


def judged_once(exercise, answer, seconds, seed):
    """The verdict on the inputs of the first seed: all right answers here differ in a comment alone."""
    key = exercise.id, re.sub(r" +# \d\S*", "", answer.source)
    if key not in VERDICTS:
        VERDICTS[key] = judge(exercise, answer, seconds, seed)
    return VERDICTS[key]


class InPlace:
    """An executor without processes."""

    def submit(self, function, *args):
        future = Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def executor(self):
        return executors.GradingExecutor(self, lambda: 1, (BrokenProcessPool, TimeoutError))


def hand_in(folder, **shares):
    """A folder a student, each with a right answer of its own speed; None is a wrong answer."""
    for student, share in shares.items():
        (folder / student).mkdir(parents=True, exist_ok=True)
        text = WRONG if share is None else f"{RIGHT}\n\n# {share}\n"
        # What stands behind a function is no part of an answer, so the mark goes into it.
        marked = text if share is None else RIGHT.replace("def fused_softmax(x):", f"def fused_softmax(x):  # {share}")
        (folder / student / "05_every_row.ipynb").write_text(notebook(marked), encoding="utf-8")
    return folder


def run(folder, out, *more):
    return main(["race", str(folder), "--exercise", "5.2", "--out", str(out), *more])


def rows(out):
    return {row["student"]: row for row in race_rows.read(out).rows()}


def table(out):
    text = (out / "race_5.2.csv").read_text(encoding="utf-8-sig")
    return list(csv.DictReader(text.splitlines()))


# ---- the command


def test_a_class_races_and_gets_a_ranking(card, tmp_path, capsys):
    """Only answers that passed race; the course's own functions race once; page and table have everybody."""
    folder = hand_in(tmp_path / "in", ada=0.9, grace=0.5, alan=None)

    assert run(folder, tmp_path / "out") == 0
    assert sorted(share for share, _ in card) == ["0.5", "0.9"] and [peers for _, peers in card] == [True, False]
    assert sorted(rows(tmp_path / "out")) == ["ada", "grace"]
    assert [(r["rank"], r["student"], r["name"]) for r in table(tmp_path / "out")] == [
        ("1", "ada", "ada"), ("2", "grace", "grace"), ("", "", "torch.softmax"), ("", "alan", "alan"),
    ]  # fmt: skip
    _, _, page = (tmp_path / "out" / "race_5.2.html").read_text(encoding="utf-8").partition('id="ranking"')
    assert page.index("ada") < page.index("grace") < page.index("torch.softmax") < page.index("alan")
    assert "its check passed" in page and "0.90" in page and "33×20000*" in page
    told = capsys.readouterr().out
    assert "ada" in told and "alan has no rank: its check passed" in told


def test_the_same_command_goes_on_where_it_was(card, tmp_path):
    """A file keeps its row as long as bytes, card, shapes and secret are the same."""
    folder, out = hand_in(tmp_path / "in", ada=0.9, grace=0.5), tmp_path / "out"
    run(folder, out)
    card.clear()
    assert run(folder, out) == 0 and card == []

    hand_in(folder, grace=0.6, zoe=0.7)
    run(folder, out)
    assert sorted(share for share, _ in card) == ["0.6", "0.7"] and not any(peers for _, peers in card)
    assert sorted(rows(out)) == ["ada", "grace", "zoe"]

    card.clear()
    run(folder, out, "--shapes", "128x256,64x64")
    assert len(card) == 3, "other shapes are another race"
    card.clear()
    run(folder, out)
    assert card == [], "and the rows of the first one are still there"


def test_a_torn_and_a_damaged_row_race_again(card, tmp_path, capsys):
    """As a power cut leaves it, or an editor: the line is set aside, the others stay."""
    folder, out = hand_in(tmp_path / "in", ada=0.9, grace=0.5, zoe=0.7), tmp_path / "out"
    run(folder, out)
    lines = (out / "race.jsonl").read_bytes().splitlines(keepends=True)
    edited = json.loads(lines[1])
    edited["raced"]["laps"][0]["microseconds"] = 0.001
    (out / "race.jsonl").write_bytes(lines[0] + json.dumps(edited).encode() + b"\n" + lines[2][:200])
    card.clear()
    capsys.readouterr()

    assert run(folder, out) == 0
    assert len(card) == 2 and len(rows(out)) == 3
    assert "line 2" in (told := capsys.readouterr().err) and "line 3" in told and "races again" in told
    assert len((out / "race.damaged.jsonl").read_bytes().splitlines()) == 2


@pytest.mark.parametrize(
    "laps, why",
    [
        ({"microseconds": None}, "above 0"),
        ({"microseconds": -1.0}, "above 0"),
        ({"copy": None}, "above 0"),
        ({"quartiles": [1.0, 2.0]}, "quartiles"),
        ({"shape": "4096"}, "shape"),
        ({"microseconds": float("nan")}, "number"),
    ],
)
def test_a_row_with_an_impossible_time_is_damaged(laps, why):
    """Somebody wrote it, and no clock."""
    row = json.loads(race_rows._line(a_row(raced(0.5))))
    assert race_rows.parse(json.dumps(row).encode())["raced"] == raced(0.5)
    row["raced"]["laps"][1] |= laps
    with pytest.raises(race_rows.Damaged, match=why):
        race_rows.parse(json.dumps(row).encode())


def a_row(of, **more):
    return {
        "submission": "ada/05.ipynb", "student": "ada", "exercise": "5.2", "sha256": "1", "digest": "2", "grader": "3",
        "seed": "4", "card": CARD.name, "shapes": SHAPES, "seconds": 1.0, "raced": of, "problems": (),
    } | more  # fmt: skip


def hangs(job):
    """In place of a race: one file never ends, one ends its process."""
    if job.job.name.startswith("grace"):
        time.sleep(600)
    if job.job.name.startswith("alan"):
        import os

        os._exit(3)
    return race_all._row(job, raced(0.8))


@pytest.mark.whole
def test_a_file_that_hangs_costs_no_other_file(monkeypatch, tmp_path):
    """It is given up with a sentence, and so is one that ends its process; a longer limit tries them again."""
    hand_in(tmp_path / "in", ada=1, grace=1, alan=1, zoe=1)
    monkeypatch.setattr(race_all, "race_one", hangs)
    files = grading.distinct(race_all.submissions.find_all([tmp_path / "in"]).files)
    with race_rows.Races(tmp_path / "out") as races, executors.local(1, 2.0) as racer:
        list(race_all.race_all(files, races, racer, SECRET, lessons.exercises()["5.2"], "T4", SHAPES, 2.0))

    found = rows(tmp_path / "out")
    assert [student for student in found if found[student]["raced"]] == ["ada", "zoe"]
    assert "did not end" in found["grace"]["problems"][0] and "ended the process" in found["alan"]["problems"][0]
    with race_rows.Races(tmp_path / "out") as races:
        assert races.holds(found["grace"]) and not races.holds(found["grace"] | {"seconds": 5.0})


def test_what_the_machine_could_not_do_races_again(card, monkeypatch, tmp_path, capsys):
    """Exit status 1, and the next run tries again what failed."""
    folder, out = hand_in(tmp_path / "in", ada=0.9), tmp_path / "out"
    good = racing.race

    def fails(*_):
        raise MemoryError("no memory on the card")

    monkeypatch.setattr(racing, "race", fails)
    assert run(folder, out) == 1
    assert "no memory on the card" in rows(out)["ada"]["problems"][0]
    monkeypatch.setattr(racing, "race", good)
    assert run(folder, out) == 0 and rows(out)["ada"]["raced"]


def test_without_a_gpu_one_sentence_says_so(monkeypatch, tmp_path, capsys):
    """Before any file is read: there is not even a folder of results."""
    monkeypatch.setattr(racing, "cannot_race_here", lambda exercise: said("There is no GPU here."))
    assert run(tmp_path / "nothing", tmp_path / "out") == 2
    assert capsys.readouterr().err == "There is no GPU here.\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "more, why",
    [
        (("--exercise", "99.1"), "Nothing raced: the course has no exercise '99.1'.\n"),
        (("--exercise", "6.1"), "6.1 has nothing to time. These race: 1.1, "),
        (("--shapes", "4096"), "Nothing raced: 4096 is no shape of this exercise; 4096×781 is one.\n"),
    ],
)
def test_what_cannot_race_is_named(card, more, why, tmp_path, capsys):
    """One sentence, exit status 2."""
    folder = hand_in(tmp_path / "in", ada=0.9)
    assert run(folder, tmp_path / "out", *more) == 2
    assert capsys.readouterr().err.startswith(why)


@pytest.mark.parametrize("text", ["0x4", "ax4", "4096x", ","])
def test_a_text_that_is_no_shape_is_a_usage_error(text, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(tmp_path, tmp_path / "out", "--shapes", text)
    assert "is no shape such as 4096x1000" in capsys.readouterr().err


# ---- the ranking


def entrants(*shares, noise=0.02):
    return [ranking.Entrant(None, chr(97 + n), (), share, noise) for n, share in enumerate(shares)]


def places(*shares, **more):
    return [(each.name, each.rank, each.tied) for each in ranking.ranked(entrants(*shares, **more))]


def test_a_difference_within_the_noise_is_a_tie():
    """Those behind a tie have as many in front as there are."""
    assert places(0.5, 0.905, 0.9) == [("b", 1, True), ("c", 1, True), ("a", 3, False)]
    assert places(0.5, 0.95, 0.9) == [("b", 1, False), ("c", 2, False), ("a", 3, False)]
    assert places() == []


def test_a_chain_of_ties_does_not_join_its_ends():
    """Each is compared with the first of its rank, so what is clearly slower has another rank."""
    assert places(1.0, 0.985, 0.97) == [("a", 1, True), ("b", 1, True), ("c", 3, False)]


def test_nobody_stands_before_somebody_faster():
    """However noisy somebody's times are."""
    noisy = ranking.Entrant(None, "noisy", (), 0.5, 0.9)
    found = ranking.ranked([*entrants(1.0, 0.9), noisy])
    assert [each.rank for each in found] == sorted(each.rank for each in found)


def test_times_that_vary_gain_no_rank():
    """An answer may wait for a drawn time in some replays. The noise of a faster one makes a tie, its own does not."""
    slow, quick = (ranking.Entrant(None, name, (), share, 0.9) for name, share in (("slow", 0.5), ("quick", 1.1)))
    assert [each.rank for each in ranking.ranked([*entrants(1.0), slow])] == [1, 2]
    assert [each.rank for each in ranking.ranked([*entrants(1.0), quick])] == [1, 1]


def test_the_noise_of_a_lap_is_its_spread_or_what_a_card_allows():
    """Long launches repeat within 2 %, short ones within 5 %."""
    assert ranking.noise_of(lap(SHAPES[0], 0.5, spread=0.1)) == pytest.approx(0.1)
    assert ranking.noise_of(lap(SHAPES[0], 0.5, spread=0.001)) == 0.02
    assert ranking.noise_of(lap(SHAPES[0], 0.5, spread=0.001, copy=4.0)) == 0.05


def test_the_share_is_the_geometric_mean_over_all_shapes():
    """Without a time for each shape there is none, and a sentence says which is missing."""
    assert ranking.share_of(raced(0.5)) == pytest.approx(0.5)
    some = Raced("5.2", CARD, (lap(SHAPES[0], 0.5), Lap(SHAPES[1], "float32", refused=said("the numbers are wrong"))))
    assert ranking.share_of(some) is None
    assert ranking.why_without(a_row(some)) == "on 33×20000: the numbers are wrong"


def test_a_race_that_ended_early_has_no_share():
    """An answer that leaves after the shape that suits it has a time there, and no rank, no points, no column."""
    left = raced(0.9, shapes=SHAPES[:1], refused=said("the race ended early: it left"))
    assert ranking.share_of(left) is None
    assert ranking.why_without(a_row(left)) == "the race ended early: it left"
    with pytest.raises(race_rows.Damaged, match="a lap for each shape"):
        race_rows.parse(race_rows._line(a_row(raced(0.9, shapes=SHAPES[:1]))))


@pytest.mark.parametrize(
    "first",
    [
        Raced("5.2", CARD, (lap(SHAPES[0], 0.9),), {}, True, said("the race ended early: it left")),
        Raced(
            "5.2", CARD, (lap(SHAPES[0], 0.9), Lap(SHAPES[1], "float32", refused=said("ValueError: too long"))),
            {"torch.softmax": (lap(SHAPES[0], 0.7),)}, True,
        ),
    ],
)  # fmt: skip
def test_whoever_races_first_takes_nothing_from_the_others(card, first, monkeypatch, tmp_path):
    """It leaves, or raises an error, on the second shape: the others have their ranks, and the course's functions."""

    def race(exercise, answer, secret, on, peers, checked):
        return first if "# 0.9" in answer.source else raced(0.5, peers=peers, shapes=on)

    monkeypatch.setattr(racing, "race", race)
    assert run(hand_in(tmp_path / "in", ada=0.9, grace=0.5), tmp_path / "out") == 0
    assert [(row["rank"], row["name"]) for row in table(tmp_path / "out")] == [
        ("1", "grace"), ("", "torch.softmax"), ("", "ada"),
    ]  # fmt: skip


def test_what_an_answer_says_is_plain_text_in_the_table_and_not_on_the_page(card, monkeypatch, tmp_path):
    """Its error may turn the direction of writing, set colours, and name others."""
    error = {
        "type": "ValueError", "kinds": ["ValueError"], "message": "\u202eknar\x1b[31m<b>\x00 grace", "line": "raise e",
        "kernel": False, "raised": True, "todo": False, "where": None,
    }  # fmt: skip
    refused = tuple(Lap(shape, "float32", refused=racing._raised(error)) for shape in SHAPES)
    monkeypatch.setattr(racing, "race", lambda *_: Raced("5.2", CARD, refused, {}, True))

    assert run(hand_in(tmp_path / "in", ada=0.9), tmp_path / "out") == 0
    told, page = ((tmp_path / "out" / f"race_5.2.{kind}").read_text(encoding="utf-8") for kind in ("csv", "html"))
    assert "ValueError in the line `raise e`: \ufffdknar\ufffd[31m<b>\ufffd grace" in told
    assert "on 4096×781: it raised an error; on 33×20000: it raised an error" in page and "grace" not in page


# ---- names


def test_a_pseudonym_is_stable_and_follows_from_the_secret():
    """Another secret gives other names; in a class of 300, two with the same name are rare."""
    names = {seeds.pseudonym(SECRET, f"student {n}") for n in range(300)}
    assert seeds.pseudonym(SECRET, "ada") == seeds.pseudonym(SECRET, "ada")
    assert seeds.pseudonym(SECRET, "ada") != seeds.pseudonym(SECRET[::-1], "ada")
    assert all(re.fullmatch(r"[a-z]+-[a-z]+-\d{4}", name) for name in names)
    kinds = len(seeds._COLOURS) * len(seeds._BIRDS) * 10_000
    assert 1 - math.exp(-300 * 299 / 2 / kinds) < 0.01 and len(names) >= 298


def test_a_page_with_pseudonyms_has_no_names(card, tmp_path):
    """Nor a file's name. The table for those who grade has both."""
    folder, out = hand_in(tmp_path / "in", adalovelace=0.9, alanturing=None), tmp_path / "out"
    run(folder, out, "--pseudonyms")
    page = (out / "race_5.2.html").read_text(encoding="utf-8")
    first, *_ = table(out)
    assert first["name"] == "adalovelace" and first["pseudonym"] in page
    assert not re.search("lovelace|turing|ipynb", page)


def test_names_are_text_and_no_formulas_and_no_markup(card, tmp_path):
    """In the page and in a spreadsheet."""
    folder, out = tmp_path / "in", tmp_path / "out"
    hand_in(folder, **{"=HYPERLINK(1)": 0.9, "<b>bold": 0.5})
    run(folder, out)
    assert [r["student"] for r in table(out)][:2] == ["'=HYPERLINK(1)", "<b>bold"]
    page = (out / "race_5.2.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;bold" in page and "<b>bold" not in page


def test_the_page_needs_nothing_from_elsewhere_and_says_its_chart_in_words(card, tmp_path):
    """One file without script; its policy allows the one style that it has; the chart has no style of its own."""
    run(hand_in(tmp_path / "in", ada=0.9, grace=0.5), tmp_path / "out")
    page = (tmp_path / "out" / "race_5.2.html").read_text(encoding="utf-8")
    assert "<script" not in page and " style=" not in page and "http-equiv" in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    label = re.search(r'<svg [^>]*aria-label="([^"]*)"', page)[1]
    assert "4096×781: the class at best 0.99, its median 0.77, torch.softmax 0.70." in label


# ---- points, and other formats


def marked(share, *, wanted="0.8", races=True):
    """The record of 5.2 under an assignment that asks for a share of a copy, and what is said of it."""
    made = assignment._parsed(f'lessons = ["05"]\nrace = {{ "5.2" = {wanted} }}', None, lambda name: b"")
    record = {"id": "5.2", "status": "passed", "score": 3.0, "max_score": 3.0, "remarks": []}
    row = {"submission": "ada/05.ipynb", "sha256": "1", "instead": None, "score": 3.0, "exercises": [record]}
    told = []
    of = raced(share) if share else Raced("5.2", CARD, refused=said("the numbers are wrong"))
    (after,) = race_points.applied([row], made.race, [a_row(of)] if races else [], told)
    assert after["score"] == after["exercises"][0]["score"]
    return after["score"], after["exercises"][0]["remarks"][0], told


def test_a_race_costs_points_where_the_assignment_says_so():
    """From the share that it asks for on, an answer has all points; below, as large a part of them."""
    assert marked(0.9) == (3.0, "raced at 0.90 of a copy on NVIDIA T4", [])
    assert marked(0.4)[0] == pytest.approx(1.5) and "all points are from 0.8 on" in marked(0.4)[1]
    assert marked(None)[:2] == (0.0, "no points, because it has no time in the race: the numbers are wrong")


def test_an_answer_that_has_not_raced_keeps_its_points():
    """And whoever exports is told how many there are."""
    points, remark, told = marked(0.4, races=False)
    assert points == 3.0 and "not raced yet" in remark and "check stay: 1 answer;" in told[0]


@pytest.mark.parametrize(
    "race, why",
    [
        ('{ "5.2" = 0 }', "race.5.2: a share of a copy's speed is expected, above 0 and at most 2"),
        ('{ "5.2" = "fast" }', "race.5.2: a share of a copy's speed"),
        ('{ "5.2" = true }', "race.5.2: a share of a copy's speed"),
        ('{ "4.1" = 0.7 }', "race: '4.1' is of a lesson that does not stand in lessons"),
        ("0.7", 'race: a table is expected, with a line such as "5.2" = 0.7'),
    ],
)
def test_what_is_wrong_with_a_race_in_an_assignment_is_said(race, why):
    with pytest.raises(assignment.NoAssignment, match=re.escape(why)):
        assignment._parsed(f'lessons = ["05"]\nrace = {race}', None, lambda name: b"")


def test_exports_have_the_points_and_gradescope_has_its_leaderboard(card, tmp_path, capsys):
    """As gradescope-autograders.readthedocs.io describes it: a list of columns, each with name, value and order."""
    folder, out = hand_in(tmp_path / "in", ada=0.4), tmp_path / "out"
    (tmp_path / "a.toml").write_text('lessons = ["05"]\nrace = { "5.2" = 0.8 }')
    assert main(["grade", str(folder), "--out", str(out), "--assignment", str(tmp_path / "a.toml")]) == 0
    assert main(["export", str(out), "--format", "csv"]) == 1 and "check stay: 1 answer;" in capsys.readouterr().err
    assert run(folder, out) == 0

    assert main(["export", str(out), "--format", "csv"]) == 0
    (line,) = csv.DictReader((out / "results.csv").read_text(encoding="utf-8-sig").splitlines())
    assert float(line["5.2"]) == float(lessons.exercises()["5.2"].points) / 2
    assert main(["export", str(out), "--format", "gradescope"]) == 0
    results = json.loads((out / "results.json").read_text())
    assert results["leaderboard"][0] == {"name": "5.2, share of a copy", "value": 0.4, "order": "desc"}
    times = {column["name"]: column["order"] for column in results["leaderboard"][1:]}
    with open(out / "race.jsonl", "ab") as file:
        file.write(b"{}\n")
    capsys.readouterr()
    assert main(["export", str(out), "--format", "gradescope"]) == 1
    assert "race.jsonl: line 2 is damaged" in capsys.readouterr().err
    assert times == {"5.2, µs on 4096×781": "asc", "5.2, µs on 33×20000": "asc"}


def test_the_roster_of_the_last_grading_gives_the_names(card, tmp_path):
    """As in exports; and an assignment without the lesson is refused where it is named."""
    folder, out = hand_in(tmp_path / "in", ada01=0.4), tmp_path / "out"
    (tmp_path / "r.csv").write_text("name,login\nAda Lovelace,ada01\n")
    (tmp_path / "a.toml").write_text('lessons = ["05"]\nroster = "r.csv"')
    (tmp_path / "b.toml").write_text('lessons = ["04"]')
    assert main(["grade", str(folder), "--out", str(out), "--assignment", str(tmp_path / "a.toml")]) == 0
    assert run(folder, out) == 0
    assert table(out)[0]["name"] == "Ada Lovelace" and "Ada Lovelace" in (out / "race_5.2.html").read_text("utf-8")
    assert run(folder, out, "--assignment", str(tmp_path / "b.toml")) == 2


@pytest.mark.whole
def test_the_engine_itself_makes_the_rows(monkeypatch, tmp_path):
    """The real race, on a card of paper: its record goes into a row, and what the card says of itself onto the page."""
    monkeypatch.setattr(racing, "card_name", lambda: "paper")
    monkeypatch.setattr(executors, "local", lambda *_: contextlib.nullcontext(InPlace().executor()))
    folder, out = hand_in(tmp_path / "in", ada=1), tmp_path / "out"
    monkeypatch.setattr(peers, "_compiled", eager)
    with paper_races(PaperCard(notes=(said("slow"),))):
        assert run(folder, out, "--shapes", "3x40,2x7") == 0

    assert [lap.microseconds for lap in rows(out)["ada"]["raced"].laps] == [100.0, 100.0]
    assert table(out)[0]["rank"] == "1" and table(out)[0]["microseconds_3×40"] == "100.00"
    assert '<p class="remark"><bdi>slow</bdi></p>' in (out / "race_5.2.html").read_text(encoding="utf-8")


def test_whoever_races_first_loses_nothing_to_the_functions_of_the_course(card, monkeypatch, tmp_path):
    """Where their compilation takes its time, it races again alone, and nobody else tries them."""
    asked = []

    def slow(exercise, answer, secret, on, peers, checked):
        asked.append(peers)
        return Raced("5.2", CARD, refused=said("the race ended early")) if peers else raced(0.5, shapes=on)

    monkeypatch.setattr(racing, "race", slow)
    assert run(hand_in(tmp_path / "in", ada=0.9, grace=0.5), tmp_path / "out") == 0
    assert asked == [True, False, False] and [row["rank"] for row in table(tmp_path / "out")] == ["1", "1"]
