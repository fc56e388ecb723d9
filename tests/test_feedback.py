"""What a learner sees of a verdict: the same words as text and as HTML, and pass and fail apart at a glance."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from grader.judge import render
from grader.notebook.feedback import Feedback, show
from grader.spec import Answer, Checked, Result

HOSTILE = 'in the line `<img src=x onerror="alert(1)">` & </div><script>'
FAILED = Result(
    "4.1", "softmax_row_kernel", "failed", 0.0, 3.0, 6, 17, "pad-zero", "no-division", f"ragged, 1×5: {HOSTILE}",
    {"read": 1.0, "written": 1.0}, (1.0, 1.0), ["code cell 3 is not Python and was left out: '<b>'"], ["v1 is right"],
)  # fmt: skip
RECORDS = {
    "failed": FAILED,
    "failed in part": replace(FAILED, score=1.0),
    "right so far": replace(FAILED, score=1.0, mistake="todo-left", also=None),
    "unnamed": replace(FAILED, mistake=None, also=None, ledger=None),
    "passed": replace(FAILED, status="passed", score=3.0, flags=["compiled on <this>"]),
    "not attempted": replace(FAILED, status="not_attempted"),
    "ended in an error": replace(FAILED, status="error"),
    "did not end in time": replace(FAILED, status="timeout"),
}
VOICED = {each: each for each in RECORDS} | {"unnamed": "failed"}


class Page(HTMLParser):
    """The words of a page in their order, its tags, and its styles."""

    def __init__(self, text):
        super().__init__()
        self.words, self.tags, self.styles = "", set(), ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.words += " " if tag in ("div", "b") else ""
        self.tags.add(tag)
        assert {"style"} >= {name for name, _ in attrs}
        self.styles += ";".join(value for _, value in attrs)

    def handle_data(self, data):
        self.words += data


@pytest.mark.parametrize("case", RECORDS)
def test_the_html_says_the_sign_and_the_word_and_then_what_the_text_says(case):
    """For a screen reader and for the eye. What an answer wrote stays text."""
    record = RECORDS[case].record()

    page = Page(render.html_text(record))

    sign = render.mark(record)[0]
    assert [sign, *VOICED[case].split(), *render.text(record).split()] == page.words.split()
    assert page.tags == {"div", "b", "span"} and "url(" not in page.styles
    assert len(render.html_text(record)) < 700 + 2 * len(render.text(record))


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_a_verdict_can_be_told_by_its_colour_its_sign_and_its_word():
    """In a light page and in a dark one: text of 4.5 to 1, and a bar of 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11)."""
    looks = {}
    for case, result in RECORDS.items():
        (colour,) = set(re.findall(r"#[0-9a-f]{6}", render.html_text(result.record())))
        assert contrast(colour, "#ffffff") >= 4.5 and contrast(colour, "#111111") >= 3
        looks.setdefault(colour, []).append(case)

    assert list(looks.values()) == [
        ["failed", "unnamed", "ended in an error", "did not end in time"],
        ["failed in part", "right so far"],
        ["passed"],
        ["not attempted"],
    ]


def test_where_to_read_on_has_a_line_of_its_own():
    """After a question of any length, and where no mistake was named."""
    for result in (FAILED, replace(FAILED, mistake=None, also=None), replace(FAILED, mistake="returns-nothing")):
        assert '       hint("4.1") shows hints' in render.text(result.record()).splitlines()


def test_a_terminal_prints_the_text(capsys):
    """And what a frontend gets holds the same text beside the HTML."""
    result = replace(FAILED, text=render.text(FAILED.record()))

    show(result, Answer("x = 1"))

    assert result.text + "\n" == capsys.readouterr().out
    feedback = Feedback(result, Answer("x = 1"))
    data, metadata = feedback._repr_mimebundle_()
    assert {"text/plain": result.text, "text/html": render.html_text(result.record())} == data
    assert result.text == repr(feedback)
    assert Checked("4.1", Answer("x = 1").digest(), 0.0) == Checked.of({"metadata": metadata})


@pytest.mark.parametrize("output", [
    None, 5, [], {}, {"metadata": 3}, {"metadata": {"five_passes": []}}, {"metadata": {"five_passes": {"exercise": 4}}},
    {"metadata": {"five_passes": {"exercise": "4.1", "answer": "0", "score": "3"}}},
    {"metadata": {"five_passes": {"exercise": "4.1", "answer": "0", "score": True}}},
])  # fmt: skip
def test_an_output_that_is_no_check_says_nothing_of_one(output):
    """A file may hold anything."""
    assert Checked.of(output) is None
