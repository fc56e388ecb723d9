"""The site as its readers meet it, from a folder, in a real browser. `make site-check` builds it and runs this."""

import html
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import ROOT
from playwright.sync_api import expect

from grader.lessons import OUTLINE

SITE = ROOT / "site" / "html"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
LOOKS = {
    "light": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


def opened(chromium, path, **look):
    """A page of the site, and the addresses that it asked for."""
    page, asked = chromium.new_context(**look).new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((SITE / path).as_uri())
    return page, asked


def test_each_lesson_has_a_page():
    assert [f"{number}_{slug}" for number, (slug, _) in OUTLINE.items()] == [
        path.stem for path in sorted((SITE / "notebooks").glob("*.html"))
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_all_pages_are_accessible_fit_and_ask_nobody(chromium, look):
    """With every fold open: no serious finding of axe, no page that scrolls sideways, no request to another host."""
    found = []
    for path in PAGES:
        page, asked = opened(chromium, path, **LOOKS[look])
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        serious = [v["id"] for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
        others = [url[:80] for url in asked if not url.startswith(("file:", "data:"))]
        found += [f"{path}: {each}" for each in [*serious, *others, *["wider than the page"] * wide]]
        page.context.close()
    assert not found


def test_no_page_names_another_host_for_what_it_loads():
    """Links may lead there; scripts, styles and pictures may not."""
    for path in PAGES:
        text = (SITE / path).read_text(encoding="utf-8")
        for tag in re.findall(r"<(?:script|img|link|iframe|source)\b[^>]*>", text):
            assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", tag), (path, html.unescape(tag))


def test_the_search_finds_a_word_by_keyboard(chromium):
    page, _ = opened(chromium, "index.html", **LOOKS["light"])
    box = page.get_by_placeholder("Search").first
    box.focus()
    page.keyboard.type("residency")
    page.keyboard.press("Enter")
    expect(page.locator("#search-results a", has_text="Rows and residency").first).to_be_visible(timeout=30_000)


def test_a_solution_is_folded_until_a_key_opens_it(chromium):
    page, _ = opened(chromium, "notebooks/04_one_row.html", **LOOKS["light"])
    fold = page.locator("details", has_text="A solution of 4.1")
    answer = fold.locator("pre", has_text="def softmax_row_kernel")
    expect(answer).to_be_hidden()
    expect(page.get_by_text("TODO 4.1 (1 of 4)")).to_be_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(answer).to_be_visible()
    expect(fold.get_by_text("✓ passed")).to_be_visible()


def test_the_first_page_shows_the_first_check(chromium):
    page, _ = opened(chromium, "index.html", **LOOKS["phone"])
    for words in ("make learn", "TODO 0.1", 'check("0.1")', "✓ passed"):
        expect(page.get_by_text(words).first).to_be_visible()


def test_a_chart_has_the_colour_of_the_page(chromium):
    """Its words are those of the page in the dark as well."""
    for look in ("light", "dark"):
        page, _ = opened(chromium, "notebooks/01_five_passes.html", **LOOKS[look])
        chart, text = page.locator(".output svg[role=img]").first, page.locator("article p").first
        colour = "each => getComputedStyle(each).color"
        assert chart.evaluate(colour) == text.evaluate(colour)
