"""The glossary and the cheat sheet say what lessons and libraries say; every decision stands in the index."""

import ast
import datetime
import math
import re

import course_map
import headings
import nbformat
import pacing
import pytest
import torch
import triton
import triton.language as tl
from conftest import ROOT

import grader
from grader import lessons
from grader.gpus import GPUS
from grader.reference import residency
from grader.reference.wide_loads import MOST_REGISTERS, WIDEST
from grader.spec import requests

GLOSSARY = re.findall(r"^\| (.+?) \| (.+?) \| \[(\d\d)\]\((.+?)\) \|$", (ROOT / "docs/glossary.md").read_text(), re.M)
SHEET = (ROOT / "docs/cheat_sheet.md").read_text()


def test_each_word_of_the_glossary_stands_in_the_lesson_that_it_leads_to():
    """In its text, or in a label of its checks."""
    assert len((ROOT / "docs/glossary.md").read_text().splitlines()) - 6 == len(GLOSSARY) > 50
    texts = {}
    for word, _, number, link in GLOSSARY:
        notebook = (ROOT / "docs" / link).resolve()
        assert notebook.name.startswith(number)
        if number not in texts:
            labels = [case.label for exercise in lessons.of_lesson(number) for case in exercise.cases(1)]
            text = " ".join(cell.source for cell in nbformat.read(notebook, as_version=4).cells)
            texts[number] = " ".join(text.split()).lower(), " ".join(labels)
        text, labels = texts[number]
        assert word.lower() in text or word in labels, word


def test_each_word_stands_once_and_in_its_place():
    words = [word.lower() for word, *_ in GLOSSARY]

    assert sorted(set(words)) == words


def test_all_that_the_cheat_sheet_calls_exists():
    """Functions of Triton, and of the course."""
    for module, shown in ((tl, "tl"), (triton, "triton")):
        for name in re.findall(rf"\b{shown}\.(\w+)", SHEET):
            assert hasattr(module, name), name
    tools = SHEET.partition("## The course's tools")[2].partition("## Numbers")[0]
    for name in re.findall(r"^\| `(\w+)\(", tools, re.M):
        assert name in grader.__all__, name


def test_the_numbers_of_the_cheat_sheet_are_those_of_the_dtypes():
    for name in ("float32", "float16", "bfloat16"):
        limits = torch.finfo(getattr(torch, name))
        largest, eps = re.search(rf"^\| {name}: .* \| ([\d.]+); (\S+) \|$", SHEET, re.M).groups()
        assert float(largest) == round(math.log(limits.max), 2)
        assert f"{limits.eps:.1e}" == re.sub(r"e-(\d)$", r"e-0\1", eps)


def test_the_numbers_of_the_cheat_sheet_are_those_of_the_gpus():
    """Warp, sector, registers, the widest load: the course's own constants, and NVIDIA's cards in them."""
    numbers = dict(re.findall(r"^\| (a \w+|the widest load of a thread) \| (.+) \|$", SHEET, re.M))
    cards = [residency.CARDS[name] for name in ("T4", "A100", "H100", "B200")]

    assert {requests.WARP} == {card["warpSize"] for card in cards}
    assert f"{requests.WARP} threads" == numbers["a warp"]
    (registers,) = {card["max_num_regs"] for card in cards}
    assert f"{registers} registers of 32 bits; at most {MOST_REGISTERS} a thread" == numbers["a multiprocessor"]
    sectors = requests.WARP * torch.float32.itemsize // requests.SECTOR
    said = f"{requests.SECTOR} bytes; {requests.WARP} neighbouring float32 numbers are {sectors} sectors"
    assert said == numbers["a sector"]
    wider = {name: gpu.widest_load for name, gpu in GPUS.items() if gpu.widest_load != WIDEST}
    (more,) = (f"on a {name} {width}" for name, width in wider.items())
    assert f"{WIDEST} bytes ({more}), at an address that they divide" == numbers["the widest load of a thread"]


@pytest.mark.skipif(not triton.__version__.startswith("3.9."), reason="lesson 13 speaks of Triton 3.9")
def test_the_smallest_matrices_are_those_of_the_compiler():
    """Lesson 13: the sizes between which tl.dot sums, in half precision and in float32."""
    from triton.backends.compiler import GPUTarget
    from triton.backends.nvidia.compiler import min_dot_size

    least = {
        dtype: min_dot_size(GPUTarget("cuda", 90, 32))(tl.block_type(dtype, [1]), tl.block_type(dtype, [1]))[2]
        for dtype in (tl.float16, tl.bfloat16, tl.float32)
    }
    text = " ".join((ROOT / "solutions/13_flash_attention.py").read_text(encoding="utf-8").replace("\n#", "").split())

    assert least == {tl.float16: 16, tl.bfloat16: 16, tl.float32: 8}
    assert "B must be at least 16. (Triton 3.9 takes 8 in float32.)" in text


def test_the_map_is_drawn_from_the_table_of_needs():
    """Every lesson is in the table, needs earlier lessons alone, and has its row and its arrows on the page."""
    numbers = list(lessons.OUTLINE)
    page = course_map.PAGE.read_text(encoding="utf-8")

    assert set(numbers) <= set(course_map.NEEDS)
    for number in numbers:
        assert all(earlier < number for earlier in course_map.NEEDS[number])
        assert all(f"    {earlier} --> {number}\n" in page for earlier in course_map.NEEDS[number])
    assert course_map.page() == page


def test_the_pacing_guide_adds_up_the_lessons_own_minutes():
    """Every lesson is in it, each course's sum is that of its lessons, and no week is longer than is said."""
    guide = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
    assert guide == pacing.page(guide)
    shown = guide.partition("<!-- pacing -->\n")[2].partition("<!-- end")[0].splitlines()[2:]
    lines = [[part.strip(" *") for part in line.split("|")[1:-1]] for line in shown]
    minutes = {line[0][:2]: int(line[1]) for line in lines if line[0][0].isdecimal()}
    assert list(lessons.OUTLINE) == list(minutes) and all(10 <= m <= 240 for m in minutes.values())
    totals, longest = lines[-2:]
    assert sum(minutes.values()) == int(totals[1])
    for column, weeks in enumerate((4, 8, 12), 2):
        week_of = {line[0][:2]: int(line[column][5:]) for line in lines if line[column].startswith("week ")}
        of_week = [sum(minutes[n] for n, week in week_of.items() if week == w) for w in range(1, weeks + 1)]
        assert list(week_of.values()) == sorted(week_of.values()) and all(of_week)
        assert (sum(of_week), max(of_week)) == (int(totals[column]), int(longest[column]))


@pytest.mark.parametrize("stated, minutes", [
    ("About 35 minutes", 35), ("About an hour", 60), ("About 2.5 to 3 hours", 180), ("About half an hour", 30),
    ("About two hours", 120),
])  # fmt: skip
def test_a_lessons_minutes_are_read_as_it_states_them(stated, minutes, tmp_path):
    """Of a range the longer time."""
    (tmp_path / "00_x.py").write_text(f"# %% [markdown]\n# # 00 · Title\n#\n# *{stated}. No GPU needed.*\n")
    (heading,) = headings.of_lessons(tmp_path)
    assert ("00", "Title", minutes) == (heading.number, heading.title, heading.minutes)


def test_a_lesson_that_states_no_time_is_named(tmp_path):
    (tmp_path / "00_x.py").write_text("# %% [markdown]\n# # 00 · Title\n#\n# *No GPU needed.*\n")
    with pytest.raises(SystemExit, match="00_x.py does not say how long it takes"):
        headings.of_lessons(tmp_path)


def test_weeks_are_as_short_as_can_be():
    assert pacing.plan([10, 20, 30, 30], 3) == [1, 1, 2, 3]
    assert pacing.plan([50, 10, 10], 2) == [1, 2, 2]


def test_every_decision_has_a_day_and_stands_in_the_index():
    """With the day and the question of its page, oldest first."""
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d{4}-\d\d-\d\d) \| \[(.+?)\]\((\w+\.md)\) \| .+ \|$", index, re.M)
    assert sorted(path.name for path in folder.glob("*.md") if path.name != "README.md") == sorted(x[2] for x in listed)
    assert listed == sorted(listed, key=lambda line: line[0])
    for day, question, name in listed:
        text = (folder / name).read_text(encoding="utf-8")
        assert text.startswith(f"# {question}\n\n*Decided on {day}"), name
        assert datetime.date.fromisoformat(day) <= datetime.date.today()
        assert re.findall(r"^\*\*(\w+)\.\*\* ", text, re.M)[:2] == ["Question", "Decided"], name


def test_the_page_for_instructors_lists_the_open_book_exercises():
    """With the reason that the exercise itself gives, and no others."""
    text = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    part = text.split("## Open-book exercises\n")[1].split("\n## ")[0]
    listed = re.findall(r"^- \*\*([\d.]+)\*\* `(.+?)`: (.+)\.$", part, re.MULTILINE)

    assert listed == [(e.id, e.title, e.open_book) for e in lessons.exercises().values() if e.open_book]


def test_the_programs_of_where_next_are_python():
    """One for each language, and how to compile Gluon's; the same in both editions. Nothing installs the languages."""
    languages = ("experimental.gluon", "triton.backends.compiler", "helion", "cuda.tile", "cutlass.cute", "tilelang")
    trees = []
    for page in ("docs/where_next.md", "docs/zh/where_next.md"):
        programs = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
        trees.append([ast.parse(program) for program in programs])
        for tree, language in zip(trees[-1], languages, strict=True):
            imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            assert language in " ".join(map(ast.unparse, imports))
    english, chinese = ([ast.dump(tree) for tree in each] for each in trees)
    assert english == chinese
