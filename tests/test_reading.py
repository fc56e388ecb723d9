"""Reading: headings in order, links with words, pictures with words, nothing by colour alone, nothing misspelt."""

import html.parser
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import ROOT
from matplotlib.figure import Figure

from grader.notebook import alt_text, charts, traffic

SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
NOTEBOOKS = [*sorted((ROOT / "notebooks").glob("*.ipynb")), *SOLUTIONS]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/decisions").glob("*.md"))]
LINK = re.compile(r"(?<!!)\[((?:!\[[^\]]*\]\([^)]*\)|[^\]])*)\]\([^)]+\)")
SAYS_NOTHING = {"", "here", "click here", "link", "this", "this link", "more", "read more"}


def prose(path):
    """A file's text without its code: code is not read aloud as headings and links."""
    if path.suffix == ".ipynb":
        cells = nbformat.read(path, as_version=4).cells
        text = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    else:
        text = path.read_text(encoding="utf-8")
    return re.sub(r"```.*?```|`[^`\n]*`", "code", text, flags=re.DOTALL)


@pytest.mark.parametrize("path", NOTEBOOKS + PAGES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_headings_are_in_order_and_links_say_where_they_lead(path):
    """One title, first; no level left out; no link that is called "here" or by its address."""
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(path), re.MULTILINE)]
    assert [level for level in levels if level == 1] == [1] and levels[0] == 1
    assert all(below - above <= 1 for above, below in zip(levels, levels[1:]))

    for text in LINK.findall(prose(path)):
        assert text.strip("*▶ ").lower() not in SAYS_NOTHING and "://" not in text.partition("](")[0]


class Page(html.parser.HTMLParser):
    """What a screen reader needs of a page: its language, and the words for its pictures."""

    def __init__(self, text):
        super().__init__()
        self.language, self.words = None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "html":
            self.language = attributes.get("lang")
        if tag == "img":
            self.words.append(attributes.get("alt") or "")


@pytest.fixture(scope="module")
def exporter():
    """Makes pages, without the code, which takes longest and holds no picture."""
    from nbconvert import HTMLExporter

    return HTMLExporter(exclude_input=True)


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda p: p.stem)
def test_every_picture_of_a_notebook_has_words(path, exporter):
    """As a page for the web too: in English, with a description of every picture; and as text where none is shown."""
    notebook = nbformat.read(path, as_version=4)
    page = Page(exporter.from_notebook_node(notebook)[0])
    outputs = [o for c in notebook.cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})]

    assert page.language == "en"
    assert len(page.words) >= len(outputs) and all(len(words) > 40 for words in page.words)
    assert all(len(o.data["text/plain"]) > 40 and not o.data["text/plain"].startswith("<") for o in outputs)


def test_a_chart_is_read_out():
    """Axes, every series, notes; of a long series the ends and the extremes; panels one by one."""
    chart = Figure()
    left, right = chart.subplots(1, 2)
    left.plot([1, 2], [0.5, 0.25], label="copy")
    left.set_xlabel("columns")
    left.set_ylabel("µs")
    left.text(1, 1, "a note")
    right.bar([1, 2], [3, 4], label="sum")
    right.plot(range(20), [(x - 5) ** 2 for x in range(20)])

    ends = "20 points, first (0, 25), lowest (5, 0), highest (19, 196), last (19, 196)"
    assert alt_text.words(chart) == (
        "Chart. Panel 1: Across: columns. Up: µs. copy (across, up): (1, 0.5), (2, 0.25). In it stands: a note. "
        f"Panel 2: Unnamed (across, up): {ends}. sum (across, up): (1, 3), (2, 4)."
    )


def test_every_picture_of_a_page_has_words():
    """README and docs."""
    described = [words for page in PAGES for words in re.findall(r"!\[(.*?)\]\(docs", page.read_text(), re.DOTALL)]

    assert len(described) == 4 and all(len(words) > 60 for words in described)


def test_nothing_is_told_by_colour_alone():
    """What is written is hatched, and lines differ in their dashes; test_trace.py looks at the cells of drawings."""
    run = traffic.Run("f", [("load", 4, 0), ("store", 4, 4)], (32, 16), 4)
    bars = [p for p in charts.traffic([run]).axes[0].patches if p.get_width()]
    assert {bool(p.get_hatch()) for p in bars} == {False, True}
    assert len({p.get_facecolor() for p in bars}) == len({p.get_hatch() for p in bars})
    lines = [(style.get("linestyle"), style.get("marker"), style.get("linewidth")) for _, style in charts._RACERS]
    assert len(lines) == len(set(lines))


def test_the_prose_is_spelt_right():
    """By codespell, in what learners, instructors and authors read; pyproject.toml lists what it is wrong about."""
    what = ["README.md", "docs", "solutions", "grader", "tools", "tests", "colab_setup.py"]
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "--skip=*.ipynb,*.png,*.json", *what],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stdout + done.stderr) == (0, "")
