"""What the cells of a lesson print, in another language."""

import ast

import pytest
from matplotlib.figure import Figure

from grader.language import catalogue, say
from grader.notebook import alt_text, charts, fonts, printed

WORDS = {
    "{rows} rows:": "{rows} 行：", "with": "填", "one row": "一行", "slower": "慢", "to": "到", "five passes": "五遍",
    "{value} {value2} than": "比它{value2}{value}", "{what}, recorded": "{what}，记录值",
    "tile of {rows}": "{rows} 行的分块", "without it:": "不写：", "{one}, {two}": "{one}，{two}",
    "{one}; {two}": "{one}；{two}", "rows of {n}": "长 {n} 的行", "rows of a tile": "分块的行数",
}  # fmt: skip


@pytest.fixture(autouse=True)
def chinese(monkeypatch):
    monkeypatch.setattr(catalogue, "catalogue", lambda code: catalogue.Catalogue(WORDS))
    monkeypatch.setattr("grader.language.choose._used", "zh_Hans")


def run(source, **names):
    """Run a cell as IPython does."""
    tree = printed.InLanguage().visit(ast.parse(source))
    exec(compile(tree, "<cell>", "exec"), names)
    return names


@pytest.mark.parametrize(
    "source, expected",
    [
        ('print(f"{rows:4} rows: ", 2 * rows)', "   3 行：  6"),
        ('print("with", rows, "in it")', "填 3 in it"),
        ('print(f"{name:10}|")', "一行      |"),
        ('print(f"{name:>10}|{rows:02}|{1 / 3:.2f}|{name!r}")', "      一行|03|0.33|'one row'"),
        ('print(f"{5:.0%} {\'slower\' if rows else \'faster\'} than")', "比它慢500%"),
        ('said = f"{rows} rows:" if rows else "none"\nprint(said)', "3 行："),
        ('print(" to ".join(["1", "2"]))', "1 到 2"),
        ('print(", ".join(["1", "2"]), end="; ")', "1，2；"),
        ('print("3 rows".split(", "), "; ".join(["a", "b"]) + ", ", sep="-")', "['3 rows']-a；b, "),
        ('text = ", ".join(["1", "2"])\nprint(text, "1, 2" == text)', "1, 2 True"),
        ('print("without it:    ", [0])', "不写：          [0]"),
        ('print(tile, {"one row": 1}["one row"], name == "one row")', "8 行的分块 1 True"),
        ('took = {f"{rows} rows:": 1}\nprint(took["3 rows:"], took[f"{rows} rows:"])', "1 1"),
        ('try:\n    [][0]\nexcept IndexError as error:\n    print(error)', "list index out of range"),
        ('print(f"{rows} rows of something else", end="")', "3 rows of something else"),
        ('print("a", "b", sep="with")', "awithb"),
    ],
)  # fmt: skip
def test_a_cell_prints_its_words_in_the_language_of_the_notebook(source, expected, capsys):
    """And what may be a key stays as it is."""
    run(source, rows=3, name="one row", tile="tile of 8")
    assert expected == capsys.readouterr().out.rstrip("\n")


def test_an_english_cell_stays_as_it_is(monkeypatch):
    monkeypatch.setattr("grader.language.choose._used", "en")
    tree = ast.parse('print(f"{rows} rows:")')
    assert tree is printed.InLanguage().visit(tree)


def test_the_messages_of_a_cell_are_what_it_prints():
    source = 'print(f"{x:4} rows: ", "with", 3)\ny = d["a key"]\nf(title=f"{z} of all")\n{"stall: a barrier": 1}'
    assert ["{x} rows:", "with", "{z} of all", "stall: a barrier"] == printed.messages(source)
    assert [] == printed.messages("%magic of IPython")


@pytest.mark.parametrize("characters, expected", [("五遍，记录值", "五遍，记录值"), ("", "five passes, recorded")])
def test_words_of_a_chart_wait_for_its_font(characters, expected, monkeypatch):
    """A description of the chart needs no font."""
    known = {*range(128), *map(ord, characters)}
    monkeypatch.setattr(fonts, "_characters", lambda name: known)
    axes = run('axes.text(0, 0, f"{what}, recorded")', axes=Figure().add_subplot(), what="five passes")["axes"]
    assert "five passes, recorded" == axes.texts[0].get_text()
    assert "In it stands: five passes, recorded." in alt_text.words(axes.figure).replace("五遍", "five passes")
    charts.in_language(axes.figure)
    assert expected == axes.texts[0].get_text()


def test_a_description_takes_a_whole_text_before_what_it_looks_like():
    """"rows of a tile" is a text of its own, and no row of the length "a tile"."""
    assert "分块的行数" == say(alt_text._known("rows of a tile"))
    assert "长 7 的行" == say(alt_text._known("rows of 7"))
