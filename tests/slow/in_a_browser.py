"""Lesson 04 as a learner meets it: JupyterLab as `make learn` starts it, in a real browser. `make browser` runs this.

What the browser saw is kept in screenshots/. The README shows two of the pictures: check.png and trace.png.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, working_tree
from playwright.sync_api import expect
from test_feedback import contrast
from test_notebook import ANSWER

SHOTS = ROOT / "screenshots"
SET_UP = "the first code cell"  # folded away, so that the page does not hold its text
BLOCK_SIZE = "def block_size(n_cols): return triton.next_power_of_2(n_cols)"
MISTAKE = ANSWER.replace('other=-float("inf")', "other=0.0")
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # all cells are in the page at once
    "apputils-extension/themes": {"adaptive-theme": True},  # dark where the browser asks for it
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address and token of a JupyterLab that serves a copy of the course."""
    folder = tmp_path_factory.mktemp("lab")
    working_tree(folder / "course")
    for name, settings in SETTINGS.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    places = {"JUPYTER_RUNTIME_DIR": "runtime", "JUPYTER_CONFIG_DIR": "config", "JUPYTERLAB_WORKSPACES_DIR": "spaces"}
    environment = os.environ | {variable: str(folder / name) for variable, name in places.items()}
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "FIVE_PASSES_PROGRESS": "off"}
    made = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "learn", f"BIN={os.path.dirname(sys.executable)}"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    command = made.stdout.splitlines()[-1]
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(
            [*command.split(), "--no-browser", "--port=0"],
            cwd=folder / "course", env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        while not (found := [f for f in (folder / "runtime").glob("jpserver-*.json") if f.read_text().endswith("}")]):
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        yield json.loads(found[0].read_text())
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


class Notebook:
    """A notebook in a page of its own."""

    def __init__(self, chromium, lab, path, view="lab", **look):
        self.page = chromium.new_context(**look).new_page()
        # The lab, unlike the view of one document, opens the notebooks of earlier tests too, out of sight.
        reset = "reset&" if view == "lab" else ""
        self.page.goto(f"{lab['url']}{view}/tree/{path}.ipynb?{reset}token={lab['token']}")

    def idle(self):
        """Wait for the kernel. What is sent while it drops the cells behind a failed one is dropped too."""
        expect(self.page.get_by_text("| Idle")).to_be_visible(timeout=60_000)

    def close_the_list_of_files(self):
        """As one does on a phone, once the page is there."""
        self.idle()
        self.page.get_by_role("tab", name="File Browser").click()

    def run_all(self):
        self.idle()
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    def output(self, text):
        """What the code cell that holds this text says; to be expected of it, because it may take a while."""
        return self.cell(text).locator(".jp-OutputArea-output").first

    def cell(self, text):
        if text == SET_UP:
            return self.page.locator(".jp-CodeCell").first
        return self.page.locator(".jp-CodeCell").filter(has=self.page.locator(".cm-content", has_text=text)).first

    def type(self, cell, text):
        """Replace a cell's text, and run it."""
        self.cell(cell).locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text.strip())
        self.page.keyboard.press("Shift+Enter")

    def run(self, cell):
        self.cell(cell).locator(".jp-InputPlaceholder" if cell == SET_UP else ".cm-content").click()
        self.page.keyboard.press("Shift+Enter")

    def shot(self, name, cell):
        """A picture of the page with this cell in the middle."""
        self.cell(cell).evaluate("cell => cell.scrollIntoView({block: 'center'})")
        SHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png")

    def cells_shot(self, name, *cells):
        """A picture of these cells, the first to the last, and nothing else: what the README shows."""
        boxes = [self.cell(cell).bounding_box() for cell in cells]
        end = boxes[-1]["y"] + boxes[-1]["height"] - 6  # there begins the frame of the next cell, which is selected
        self.page.screenshot(path=SHOTS / f"{name}.png", clip=boxes[0] | {"height": end - boxes[0]["y"]})


def test_lesson_04_from_not_yet_to_the_points(lab, chromium):
    """Run all, a wrong answer, the mistake by its name, the right answer, the points, the traffic."""
    lesson = Notebook(chromium, lab, "notebooks/04_one_row", viewport={"width": 1280, "height": 900})
    lesson.run_all()
    expect(lesson.cell(SET_UP).locator(".jp-InputPlaceholder")).to_be_visible()
    kernel, check = "def softmax_row_kernel", 'check("4.1")'

    expect(lesson.output(SET_UP)).to_contain_text("mode      ", timeout=60_000)
    expect(lesson.output(check)).to_contain_text("not yet: put your answer in place of the TODO of", timeout=60_000)
    expect(lesson.output("def softmax_row(x)")).to_contain_text(
        "Not yet: this cell needs your answer to 4.", timeout=60_000
    )
    lesson.shot("not-yet", check)

    lesson.idle()
    lesson.type(kernel, MISTAKE)
    lesson.run(check)
    expect(lesson.output(check)).to_contain_text("Masked lanes joined the sum", timeout=60_000)
    expect(lesson.output(check)).to_contain_text("0 of 3 points")
    lesson.shot("mistake", check)
    lesson.cells_shot("check", kernel, check)

    lesson.type(kernel, ANSWER)
    lesson.run(check)
    expect(lesson.output(check)).to_contain_text("3 of 3 points", timeout=60_000)
    lesson.shot("points", check)

    lesson.type("def block_size", BLOCK_SIZE)
    lesson.run("def softmax_row(x)")
    lesson.run("traffic(")
    expect(lesson.output("traffic(")).to_contain_text("in all", timeout=60_000)
    chart = lesson.cell("traffic(").locator("img")
    expect(chart).to_have_attribute("alt", re.compile("^Bar chart of elements moved"), timeout=60_000)
    lesson.shot("traffic-run", "traffic(")
    expect(lesson.page.get_by_text("official Jupyter news")).to_have_count(0)  # JupyterLab asks unless it is told


LOOKS = {
    "desk": ("lab", {"viewport": {"width": 1280, "height": 900}}),
    "dark": ("lab", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"}),
    "phone": ("doc", {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}),
}
# Of an element: the colour of its text, and the nearest background that is painted behind it.
COLOURS = """each => {
    let behind = each, paint;
    while (/, 0\\)|transparent/.test(paint = getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
    return [getComputedStyle(each).color, paint];
}"""
PICTURES = {
    "trace": ("solutions/03_pointers_and_masks", "trace(copy_rows_kernel", "table"),
    "race": ("solutions/09_split_a_row", 'order="reversed"', "table"),
    "butterfly": ("solutions/12_down_to_cuda", "draw.butterfly", "table"),
    "tiles": ("solutions/13_flash_attention", "small, True, 2", "table"),
    "traffic": ("solutions/05_every_row", "traffic([naive", "img"),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("what", PICTURES)
def test_pictures_fit_the_page(lab, chromium, look, what):
    """On a phone and in the dark too, and can be read there."""
    view, page = LOOKS[look]
    path, cell, kind = PICTURES[what]
    lesson = Notebook(chromium, lab, path, view, **page)
    if look == "phone":
        lesson.close_the_list_of_files()
    image = lesson.cell(cell).locator(kind).first
    expect(image).to_be_visible(timeout=60_000)
    lesson.shot(f"{what}-{look}", cell)
    # What is wider than the page scrolls within its own cell.
    inner = image.locator("xpath=..").bounding_box()
    room = lesson.cell(cell).bounding_box()
    assert room["x"] <= inner["x"] and inner["x"] + inner["width"] <= room["x"] + room["width"]
    assert kind == "table" or image.bounding_box()["width"] >= 400  # and can be read


def test_the_buttons_of_a_trace_step_through_its_programs(lab, chromium):
    """One frame at a time, by mouse and by key; two drawings in one page do not share their buttons."""
    lesson = Notebook(chromium, lab, "solutions/03_pointers_and_masks", viewport={"width": 1280, "height": 1500})
    lesson.idle()
    kernels = [("def copy_rows_kernel", "trace(copy_rows_kernel"), ("def row_max_kernel", "trace(row_max_kernel")]
    for cell in (SET_UP, "import triton", "part = ", *kernels[0], *kernels[1]):
        lesson.run(cell)
    frames = [lesson.cell(cell).locator("form") for _, cell in kernels]
    expect(frames[1].get_by_label("all programs")).to_be_checked(timeout=60_000)
    lesson.shot("frames", kernels[0][1])
    lesson.cells_shot("trace", kernels[0][1])
    names = [frames[0].locator("b", has_text=re.compile(f"^{name}$")) for name in ("all programs", "1: program 0")]
    expect(names[0]).to_be_visible()
    expect(names[1]).to_be_hidden()

    frames[0].get_by_label("1: program 0").check()
    expect(names[0]).to_be_hidden()
    expect(names[1]).to_be_visible()
    lesson.page.keyboard.press("ArrowRight")
    expect(frames[0].get_by_label("2: program 1")).to_be_checked()
    lesson.page.keyboard.press("Enter")
    expect(names[1]).to_be_hidden()
    expect(frames[1].get_by_label("all programs")).to_be_checked()


@pytest.mark.parametrize("look", LOOKS)
def test_pass_and_fail_differ_at_a_glance(lab, chromium, look):
    """By sign, word and colour, in words that can be read in each theme, within the page."""
    view, page = LOOKS[look]
    lesson = Notebook(chromium, lab, "solutions/04_one_row", view, **page)
    if look == "phone":
        lesson.close_the_list_of_files()
    kernel, check = "def softmax_row_kernel", 'check("4.1")'
    verdict = lesson.cell(check).locator(".jp-OutputArea-output b").first
    expect(verdict).to_have_text("✓ passed", timeout=60_000)
    lesson.shot(f"passed-{look}", check)
    colours = [verdict.evaluate("each => getComputedStyle(each).backgroundColor")]

    for cell in (SET_UP, "import triton"):
        lesson.run(cell)
    lesson.type(kernel, MISTAKE)
    lesson.run(check)
    expect(verdict).to_have_text("✗ failed", timeout=60_000)
    lesson.shot(f"failed-{look}", check)
    colours.append(verdict.evaluate("each => getComputedStyle(each).backgroundColor"))

    assert len(set(colours)) == 2
    shown = verdict.locator("xpath=../..")
    pairs = [shown.evaluate(COLOURS), verdict.evaluate(COLOURS)]
    for pair in pairs:
        assert contrast(*("#" + "".join(f"{int(c):02x}" for c in re.findall(r"\d+", each)[:3]) for each in pair)) >= 4.5
    inner, room = shown.bounding_box(), lesson.cell(check).bounding_box()
    assert room["x"] <= inner["x"] and inner["x"] + inner["width"] <= room["x"] + room["width"]
