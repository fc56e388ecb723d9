"""Drawings in HTML: cells with words in them, which follow the theme of the page and need neither script nor library.

Every look is an inline style: where a page drops style sheets, as JupyterLab does with a notebook that it does not
trust, the drawing stays. Cells with a fill have black text on a light tint; all other text has the colour of the page.
"""

from __future__ import annotations

import html

from ..language import say

_CELL = "border-radius:2px;padding:.1em .25em;min-width:1.5em;height:1.6em;text-align:center;white-space:nowrap;"
_LABEL = "border:none;padding:0 .3em;text-align:center;white-space:pre;font-weight:normal;background:none;"
_TABLE = "border-collapse:separate;border-spacing:2px;border:none;margin:0;width:auto;table-layout:auto;font-size:13px;"
_TINT = "color:#000;print-color-adjust:exact;background:"

# Fill, border and corners of the kinds of cells. No two look alike in grey, and each is named by a word in the drawing.
LOOKS = {
    "load": f"{_TINT}#dbe9f6;border:1px solid #4477aa;",
    "load, odd": f"{_TINT}#a9c8e6;border:1px solid #4477aa;",
    "store": f"{_TINT}#fbf0c4;border:1px solid #806600;border-radius:.7em;",
    "store, odd": f"{_TINT}#ecd27f;border:1px solid #806600;border-radius:.7em;",
    "load, shared": f"{_TINT}#dbe9f6;border:4px double #000;box-shadow:0 0 0 1px #fff;",
    "store, shared": f"{_TINT}#fbf0c4;border:4px double #000;box-shadow:0 0 0 1px #fff;border-radius:.7em;",
    "load, partial": f"{_TINT}#fff;border:3px dashed #4477aa;",
    "early": f"{_TINT}#fff;border:4px double #a00000;border-radius:0;font-weight:bold;",
    "outside": f"{_TINT}#fff;border:3px solid #000;box-shadow:0 0 0 1px #fff;font-weight:bold;",
    "masked": "border:1px dashed;border-radius:2px;",
    "empty": "border:1px dotted;",
    "none": "border:none;",
}
_KEYS = 'data-lm-suppress-shortcuts="true"'  # JupyterLab leaves the keys to an element with this attribute
_NOW = "outline:3px solid #c05000;"


def escaped(words: str) -> str:
    """Words as HTML, in the language in use."""
    return html.escape(say(words))


class Drawing:
    """A drawing that a notebook shows as HTML, and that is its description elsewhere."""

    def __init__(self, description: str, page: str):
        self.description, self.page = description, page

    def __repr__(self) -> str:
        return say(self.description)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.page}


def cell(words: str, look: str, *, now: bool = False, span: int = 1, title: str = "") -> str:
    """A cell of a table. words: HTML. now: whether it is drawn with an outline."""
    more = (f' colspan="{span}"' if span > 1 else "") + (f' title="{escaped(title)}"' if title else "")
    return f'<td{more} style="{_CELL}{LOOKS[look]}{_NOW if now else ""}">{words}</td>'


def label(words: str, *, scope: str = "col", span: int = 1) -> str:
    """A cell of a table that names a row or column. words: plain text."""
    more = f' colspan="{span}"' if span > 1 else ""
    return f'<th scope="{scope}"{more} style="{_LABEL}">{escaped(words)}</th>'


def chip(words: str, look: str, width: str = "") -> str:
    """A small box within a line or a cell. words: HTML. width: largest, in CSS: a longer text is broken into lines."""
    broken = f";max-width:{width};white-space:normal;text-align:left" if width else ""
    return f'<span style="{_CELL}{LOOKS[look]}display:inline-block;height:auto;line-height:1.2{broken}">{words}</span>'


def table(title: str, head: list[str], rows: list[str], words: str = "") -> str:
    """A table that scrolls by itself where the page is narrower. words: read out in place of its cells."""
    read_out = f' role="img" aria-label="{escaped(words)}"' if words else ""
    row = '<tr style="background:none;border:none">'
    top = "".join(f"{row}{cells}</tr>" for cells in head)
    body = "".join(f"{row}{cells}</tr>" for cells in rows)
    return (
        f'<div style="margin:.6em 0 .1em">{escaped(title)}</div>'
        '<div tabindex="0" style="overflow-x:auto;padding:3px">'
        f'<table{read_out} style="{_TABLE}"><thead style="border:none">{top}</thead><tbody>{body}</tbody></table></div>'
    )


def legend(entries: list[tuple[str, str]]) -> str:
    """Lines of (HTML of a sample, its meaning)."""
    lines = "".join(f'<div style="margin:.25em 0">{sample} {escaped(words)}</div>' for sample, words in entries)
    return f'<div style="margin-top:.6em;font-size:13px;line-height:1.5">{lines}</div>'


def frames(name: str, pages: list[tuple[str, str]]) -> str:
    """One page at a time, chosen by a row of buttons: the arrow keys step through them.

    name: of the row, with its colon. pages: (name, HTML). It is CSS alone, so it works in all notebooks, also in a
    stored one, whose widgets would need a running kernel and a package. Where a page drops style sheets, the frames
    stand one below the other, each with its name.
    """
    if len(pages) == 1:
        return pages[0][1]
    shown = "".join(
        f".five-passes-frames:has(>p>label:nth-of-type({n}) input:checked)>div:nth-of-type({n}){{display:block}}"
        for n in range(1, len(pages) + 1)
    )
    style = (
        "@supports selector(:has(*)){.five-passes-frames>p{display:block!important}"
        f".five-passes-frames>div{{display:none}}{shown}}}"
    )
    box = "display:inline-block;margin:0 .9em 0 0;white-space:nowrap"
    buttons = "".join(
        f'<label style="{box}"><input type="radio" {_KEYS} name="frame"{" checked" * (n == 0)}> {escaped(each)}</label>'
        for n, (each, _) in enumerate(pages)
    )
    body = "".join(
        f'<div><div style="margin:.8em 0 0"><b>{escaped(each)}</b></div>{page}</div>' for each, page in pages
    )
    # A form keeps the buttons of one drawing apart from those of another; "dialog" keeps it from being sent.
    return (
        f'<form method="dialog" class="five-passes-frames"><style>{style}</style>'
        f'<p hidden style="margin:.4em 0"><span>{escaped(name)} </span>{buttons}</p>{body}</form>'
    )
