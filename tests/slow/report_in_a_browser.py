"""The report of a class in a real browser: sorted and searched by keyboard, on a phone, in the dark, without a script.

`make browser` runs this. What the browser saw is kept in screenshots/.
"""

import json
import random

import platforms
import pytest
from conftest import ROOT
from test_export import exercise, row

from grader import lessons
from grader.__main__ import main

SHOTS = ROOT / "screenshots"
SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


def class_of_60(folder):
    """Results of 60 students in all lessons: points, lessons missing, files late, superseded, empty and of no kind."""
    chance, rows = random.Random(3), []
    for student in platforms.students():
        key = f"{student.name}_{student.number}"
        for number, (slug, _) in lessons.OUTLINE.items():
            found = []
            for each in lessons.of_lesson(number):
                right = chance.random() < 0.8
                done = {"max_score": float(each.points), "score": float(each.points) * right, "title": each.title}
                wrong = {"mistake": "pad-zero", "message": "ragged: the row sums to 0.7421"} if not right else {}
                found.append(exercise(each.id, "passed" if right else "failed", **done, **wrong))
            place = f"{student.name}_{student.number}_assignsubmission_file_/{number}_{slug}"
            if chance.random() < 0.9:
                made = row(f"{place}.ipynb", key, number, *found)
                rows.append(made | {"max_score": sum(e["max_score"] for e in found)})
                if chance.random() < 0.02:
                    rows.append(rows[-1] | {"submission": f"{place} (1).ipynb"})
                    rows[-2] |= {"exercises": [], "score": 0.0, "max_score": 0.0, "instead": f"{place} (1).ipynb"}
            if chance.random() < 0.01:
                rows.append(row(f"{place} empty.ipynb", key, None, problems=["the file is empty"]))
    rows.append(row(f"{key}_assignsubmission_file_/project.ipynb", key, None, problems=["the file is empty"]))
    (folder / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert main(["export", str(folder), "--format", "html"]) == 0
    return (folder / "html" / "index.html").as_uri()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return class_of_60(tmp_path_factory.mktemp("report"))


def opened(chromium, report, size="desk", **more):
    """The page, and what the browser complained about."""
    page, complaints = chromium.new_page(viewport=SIZES[size], **more), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(report)
    return page, complaints


def names(page):
    return page.locator("#table tbody tr:visible th").all_inner_texts()


def points(page, at):
    return [
        c.get_attribute("data-points") for c in page.locator(f"#table tbody tr:visible td:nth-child({at + 1})").all()
    ]


def test_the_table_is_sorted_and_searched_by_keyboard_alone(chromium, report):
    """Names from A to Z, points, a lesson whose missing files come last, a name without its accents; and it is said."""
    page, complaints = opened(chromium, report)
    given = names(page)
    page.locator("#find").focus()
    page.keyboard.type("muller-l")
    assert names(page) == ["Jürgen Müller-Lüdenscheidt_101"]
    assert page.locator("[role=status]").inner_text() == "1 of 60 students"
    for _ in "muller-l":
        page.keyboard.press("Backspace")
    assert given == names(page)

    page.keyboard.press("Tab")  # to the region that scrolls
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "student"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    totals = [float(value) for value in points(page, 1)]
    assert sorted(totals, reverse=True) == totals
    assert page.locator("[role=status]").inner_text() == "60 of 60 students; sorted by all, most points first"
    page.keyboard.press("Space")
    assert sorted(totals) == [float(value) for value in points(page, 1)]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    of_00 = points(page, 2)
    assert "" in of_00 and [value for value in of_00[: -of_00.count("")] if value == ""] == []
    assert [h.get_attribute("aria-sort") for h in page.locator("#table thead th[aria-sort]").all()] == ["descending"]
    assert complaints == []


@pytest.mark.parametrize("size, scheme", [("desk", "light"), ("desk", "dark"), ("phone", "light"), ("phone", "dark")])
def test_it_fits_and_can_be_read(chromium, report, size, scheme):
    """The page is no wider than its screen, the table scrolls in itself, and names stay in sight."""
    page, complaints = opened(chromium, report, size, color_scheme=scheme)
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"report_{size}_{scheme}.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#table").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.wide').scrollLeft = 400")
    page.locator("#scores").scroll_into_view_if_needed()
    left = page.locator(".wide").first.bounding_box()["x"]
    assert [left, left] == [page.locator(f"#table {part} th").first.bounding_box()["x"] for part in ("thead", "tbody")]
    page.screenshot(path=SHOTS / f"report_{size}_{scheme}_scrolled.png")
    page.locator("#table tbody a").first.click()
    page.wait_for_load_state()
    assert page.locator("h1").inner_text() and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.screenshot(path=SHOTS / f"report_{size}_{scheme}_student.png")
    assert complaints == []


def test_without_a_script_it_is_a_plain_table(chromium, report):
    """Every student is there, and no tool that does nothing."""
    page, _ = opened(chromium, report, java_script_enabled=False)

    assert page.locator("#table tbody tr").count() == 60 and page.locator("button").count() == 0
    assert not page.locator("#find").is_visible()


@pytest.mark.parametrize("size, scheme", [("desk", "light"), ("phone", "dark")])
def test_what_to_do_next_leads_to_what_it_needs(chromium, report, size, scheme):
    """From the first screen to a letter, and by a lesson's columns to a wrong answer; no page is too wide."""
    page, complaints = opened(chromium, report, size, color_scheme=scheme)
    assert page.locator(".steps li").first.bounding_box()["y"] < SIZES[size]["height"]
    page.locator(".steps a[href='#again']").click()
    page.locator(".letter summary").first.click()
    assert page.locator(".letter pre").first.is_visible()
    page.screenshot(path=SHOTS / f"report_{size}_{scheme}_letter.png")
    page.locator("a[href='lessons/04.html']").click()
    assert page.locator("[role=status]").inner_text() != ""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#table a[href*='exercises/4.1']").first.click()
    assert page.evaluate("document.querySelector(':target') !== null")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.screenshot(path=SHOTS / f"report_{size}_{scheme}_exercise.png")
    assert complaints == []
