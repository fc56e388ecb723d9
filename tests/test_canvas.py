"""Drawings of boxes and arrows, on pages of any colour and in other languages."""

import pytest
import torch
from conftest import unwrapped
from traced import copy_kernel, unmasked_kernel

import grader
from grader import draw, language
from grader.language import wrap
from grader.notebook import canvas, charts, fonts, hierarchy, traffic
from grader.reference import memories
from grader.sentence import said


def drawn():
    """The figures of this kind, each with boxes, words on them, and words beside them."""
    x = torch.randn(4, 40)
    runs = [traffic.count(each, (x,), {}) for each in (lambda x: x.exp() * 2, torch.exp)]
    yield hierarchy.figure("H200", memories.levels("H200"), runs)
    picture = grader.trace(copy_kernel, torch.zeros(40), torch.randn(40), 40, BLOCK=64, grid=(1,), sectors=True)
    yield picture.figure()


def test_words_stand_dark_on_a_light_box_or_take_the_colour_of_the_page():
    """A dark page shows no word of a colour of its own, and no plate behind it."""
    for figure in drawn():
        axes = figure.axes[0]
        light = [p for p in axes.patches if p.get_fill() and p.get_facecolor()[3] and min(p.get_facecolor()[:3]) > 0.6]
        for text in axes.texts:
            place = axes.transData.transform(text.get_position())
            on_box = any(patch.contains_point(place) for patch in light)
            assert text.get_color() == (canvas.INK if on_box else "black"), text.get_text()
        charts.see_through(figure)
        assert {text.get_color() for text in axes.texts} == {canvas.INK, charts._INK}


@pytest.mark.skipif(fonts.family("读") is None, reason="needs a font with Chinese characters")
def test_ticks_are_translated_and_names_of_code_are_not():
    """A kernel may be called as a word that has a translation: store, copy."""
    with language.speaking("zh_Hans"):
        figure = charts.traffic([traffic.count(lambda x: x.exp() * 2, (torch.randn(4, 4),), {})])
        charts.png(figure)
        assert figure.axes[0].get_yticklabels()[-1].get_text().endswith("合计")
        sheet = canvas.Canvas(1)
        sheet.text(0, 0, "store")
        sheet.text(0, 0, said("read"))
        charts.in_language(sheet.figure)
        assert [text.get_text() for text in sheet.figure.axes[0].texts] == ["store", "读"]


def test_no_line_of_a_text_is_wider_than_a_cell(capsys):
    """A notebook would break it within a word or a number."""
    x = torch.randn(2, 5)
    grader.trace(unmasked_kernel, torch.zeros(2, 5), x, 5, 5, BLOCK=8, grid=(2,))
    draw.hierarchy(lambda x: x.exp() * 2, x)
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert max(map(wrap.columns, lines)) <= wrap.WIDTH < max(map(len, unwrapped(printed)))
