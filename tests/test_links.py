"""Links to pages outside: records/links.json says when each of them was last looked at. None is fetched."""

import datetime
import functools
import json
import re
import warnings

import nbformat
from conftest import ROOT

LOOKED = json.loads((ROOT / "records" / "links.json").read_text(encoding="utf-8"))["looked at"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/decisions").glob("*.md"))]
_ADDRESS = re.compile(r"\]\((https?://[^)\s]+)\)")


@functools.cache
def linked():
    """{address: the first file that links to it}, over pages and the lessons' text."""
    found = {}
    for path in [*PAGES, *sorted((ROOT / "notebooks").glob("*.ipynb"))]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            cells = nbformat.reads(text, as_version=4).cells
            text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        for address in _ADDRESS.findall(text):
            found.setdefault(address, path.name)
    return found


def test_every_link_has_an_entry():
    """The lines of this list go into records/links.json, with null where nobody has looked yet."""
    missing = [f'"{address}": null,  in {file}' for address, file in linked().items() if address not in LOOKED]

    assert missing == []
    assert [address for address in LOOKED if address not in linked()] == []


def test_entries_are_dates_or_null():
    for date in LOOKED.values():
        assert date is None or datetime.date.fromisoformat(date) <= datetime.date.today()


def test_says_which_links_to_look_at_again():
    """A warning and no failure: those that nobody has looked at, or not for a year."""
    old = (datetime.date.today() - datetime.timedelta(days=365)).isoformat()
    again = [address for address, date in LOOKED.items() if date is None or date < old]
    if again:
        warnings.warn(f"{len(again)} links to look at again:\n" + "\n".join(again), stacklevel=1)


def test_every_lesson_up_to_11_ends_with_things_to_read():
    """Before one's own points and the next lesson, with a link at least."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))[:12]:
        cells = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "markdown"]
        (reads,) = [text for text in cells if text.startswith("## What to read\n")]
        assert cells.index(reads) >= len(cells) - 3, path.name
        assert _ADDRESS.search(reads)
