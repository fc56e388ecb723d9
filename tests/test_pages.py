"""The glossary and the cheat sheet say what lessons and libraries say."""

import math
import re

import torch
import triton
import triton.language as tl
from conftest import ROOT

import grader
from grader import lessons

GLOSSARY = re.findall(r"^\| (.+?) \| (.+?) \| \[(\d\d)\]\((.+?)\) \|$", (ROOT / "docs/glossary.md").read_text(), re.M)
SHEET = (ROOT / "docs/cheat_sheet.md").read_text()


def test_each_word_of_the_glossary_stands_in_the_lesson_that_it_leads_to():
    """In its text, or in a label of its checks."""
    assert len((ROOT / "docs/glossary.md").read_text().splitlines()) - 6 == len(GLOSSARY) > 50
    for word, _, number, link in GLOSSARY:
        notebook = (ROOT / "docs" / link).resolve()
        labels = [case.label for exercise in lessons.of_lesson(number) for case in exercise.cases(1)]
        assert notebook.name.startswith(number)
        assert word.lower() in notebook.read_text(encoding="utf-8").lower() or word in " ".join(labels), word


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
