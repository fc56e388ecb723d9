"""One source, two notebooks: stable, complete, without the solution in the learner's."""

import re

import build
import nbformat
import pytest
from conftest import ROOT, stored

from grader import lessons
from grader.judge import extract
from grader.judge.judge import judge

SOURCES = build.sources([])
SMALL = '''# %% [markdown]
# # Title

# %%
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %%
check("0.1")
'''


def made(tmp_path, text):
    path = tmp_path / "00_small.py"
    path.write_text(text)
    return build.read(path)


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.stem)
def test_both_notebooks_are_up_to_date(source):
    """What `build.py --check` says."""
    assert build.problems(source) == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.stem)
def test_building_twice_gives_the_same_bytes(source):
    """No random ids, no timestamps."""
    once, again = (build.text(build.learner(build.read(source), source.stem)) for _ in range(2))
    assert once == again
    stored = build.load(source.with_suffix(".ipynb"))
    assert build.text(build.merged(build.read(source), stored)) == source.with_suffix(".ipynb").read_text()


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.stem)
def test_notebooks_are_valid_and_clean(source):
    """nbformat accepts them; learners' hold no outputs, no solution, and small cells."""
    for folder in ("notebooks", "solutions"):
        notebook = nbformat.read(ROOT / folder / f"{source.stem}.ipynb", as_version=4)
        nbformat.validate(notebook)
        assert len({c.id for c in notebook.cells}) == len(notebook.cells)
        if folder == "notebooks":
            for cell in notebook.cells:
                assert "SOLUTION" not in cell.source
                assert cell.cell_type == "markdown" or (cell.outputs == [] and cell.execution_count is None)
                limit = 40 if cell.cell_type == "code" else 25
                assert len(cell.source.splitlines()) <= limit, cell.source


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.stem)
def test_prose_comes_in_small_portions(source):
    """120 words a cell at most; explanations that are folded away may be longer."""
    for cell in build.read(source).cells:
        if cell.cell_type == "markdown" and "<details>" not in cell.source:
            assert len(cell.source.split()) <= 120, cell.source
        if "<details>" in cell.source:
            assert len(cell.source.split()) <= 200, cell.source


def test_every_exercise_has_a_cell_and_a_check_that_nbgrader_knows():
    """Schema 3: the exercise is a solution cell, its check a graded and locked one with points."""
    for source in SOURCES:
        cells = {c.id: c for c in build.load(ROOT / "notebooks" / f"{source.stem}.ipynb").cells}
        for exercise in lessons.of_lesson(source.name[:2]):
            number = exercise.id.replace(".", "-")
            solution = cells[f"exercise-{number}"].metadata.nbgrader
            check = cells[f"check-{number}"].metadata.nbgrader
            assert (solution.schema_version, solution.solution, solution.grade) == (3, True, False)
            assert (True, True, exercise.points) == (check.grade, check.locked, check.points)
            assert solution.grade_id != check.grade_id


STUBS = {
    "a function": ("def f(x):\n    {}\n    return x\n    {}", 'def f(x):\n    raise NotImplementedError("TODO 1.1")'),
    "a kernel": (
        "@triton.jit\ndef f(x, B: tl.constexpr):\n    {}\n    y = x\n    {}\n    tl.store(x, y)",
        '@triton.jit\ndef f(x, B: tl.constexpr):\n    tl.static_assert(False, "TODO 1.1")\n    tl.store(x, y)',
    ),
    "a value": ("{}\nvalue = 3\n{}", "value = ...  # TODO 1.1"),
    "two regions": (
        "def f(x):\n    {0}\n    a = 1\n    {1}\n    # then\n    {0}\n    return a\n    {1}",
        'def f(x):\n    raise NotImplementedError("TODO 1.1 (1 of 2)")\n    # then\n'
        '    raise NotImplementedError("TODO 1.1 (2 of 2)")',
    ),
    "a method": (
        "class A:\n    def f(self):\n        {}\n        return 1\n        {}",
        'class A:\n    def f(self):\n        raise NotImplementedError("TODO 1.1")',
    ),
}


@pytest.mark.parametrize("kind", STUBS)
def test_a_stub_fails_loudly_wherever_it_stands(kind):
    """In Python, in a kernel, as a value."""
    source, expected = STUBS[kind]

    assert expected == build.stub(source.format(build.BEGIN, build.END), "1.1")


def test_the_parts_of_an_exercise_are_numbered_through_all_of_its_cells(tmp_path):
    """A label in a message says which part it means, also where an exercise has several cells."""
    second = "# %%\ndef g(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n\n# %%\ndef"
    source = made(tmp_path, SMALL.replace("# %%\ndef", second, 1))
    cells = build.learner(source, "04_one_row").cells

    found = re.findall(r"TODO [\d.]+ \(.*?\)", "\n".join(cell.source for cell in cells))
    assert found == ["TODO 0.1 (1 of 2)", "TODO 0.1 (2 of 2)"]


def test_whole_definitions_leave_nothing_and_count_as_no_part():
    """Where recall() stands above them, a learner has them already."""
    source = (
        f'recall("5.1")\n{build.BEGIN}\ndef f(x):\n    return x\n{build.END}\nb = 1\n{build.BEGIN}\na = 2\n{build.END}'
    )

    assert build.stub(source, "1.1") == 'recall("5.1")\nb = 1\na = ...  # TODO 1.1'


def test_ids_survive_cells_that_are_added(tmp_path):
    """A cell keeps its id when others come and go; equal cells are told apart."""
    before = {c.source: c.id for c in made(tmp_path, SMALL).cells}
    added = SMALL.replace("# %%\ndef", "# %%\nprint(1)\n\n# %%\nprint(1)\n\n# %%\ndef")
    after = made(tmp_path, added).cells

    assert before.items() <= {c.source: c.id for c in after if c.source != "print(1)"}.items()
    assert 6 == len(after) == len({c.id for c in after})


def test_an_open_cell_needs_no_check_and_begins_almost_empty(tmp_path):
    """Learners see what stands outside of the markers; nbgrader keeps the cell as an answer without points."""
    answer = '# %% tags=["open"]\n# Yours.\n### BEGIN SOLUTION\nhalf = 0.5\n### END SOLUTION\n'
    source = made(tmp_path, SMALL + "\n" + answer)
    solved, opened = source.cells[-1], build.learner(source, "04_one_row").cells[-1]

    assert ("open", "# Yours.") == (opened.id, opened.source) and "half = 0.5" in solved.source
    assert opened.metadata.nbgrader.solution and not opened.metadata.nbgrader.grade


def test_outputs_stay_with_the_cells_that_did_not_change(tmp_path):
    """So that only what changed is run again."""
    stored = made(tmp_path, SMALL)
    for cell in stored.cells[1:]:
        cell.execution_count = 1
    changed = build.merged(made(tmp_path, SMALL.replace("2 * x", "x + x")), stored)

    assert [c.execution_count for c in changed.cells[1:]] == [1, None, 1]
    assert build.unexecuted(changed) == ["exercise-0-1"]


def test_check_finds_what_is_wrong(tmp_path, monkeypatch):
    """A stale notebook, a cell that was never run, an exercise without a check, a solution in its own stub."""
    monkeypatch.setattr(build, "ROOT", tmp_path)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "solutions").mkdir()
    source = tmp_path / "solutions" / "00_small.py"
    source.write_text(SMALL.replace('    """Twice x."""', "    # return 2 * x"))

    found = build.problems(source)
    assert found[:2] == ["notebooks/00_small.ipynb is stale", "solutions/00_small.ipynb is stale"]
    assert any("shows 'return 2 * x'" in sentence for sentence in found)

    source.write_text(SMALL)
    notebook = build.read(source)
    (tmp_path / "notebooks" / "00_small.ipynb").write_text(build.text(build.learner(build.read(source), source.stem)))
    source.with_suffix(".ipynb").write_text(build.text(notebook))
    assert sum("has no good run stored" in sentence for sentence in build.problems(source)) == 3

    source.write_text(SMALL.replace("# %%\ndef", "# %%\nimport colab_setup\n\n# %%\ndef"))
    assert any("has a first cell of its own" in sentence for sentence in build.problems(source))

    source.write_text(SMALL.replace('# %%\ncheck("0.1")\n', ""))
    with pytest.raises(SystemExit, match="no check"):
        build.problems(source)


def test_a_stub_in_cuda_stops_the_compiler():
    """The markers are comments there, and a closing brace gives nothing away."""
    body = "    // ### BEGIN SOLUTION\n    if (a) {\n        b();\n    }\n    // ### END SOLUTION\n"
    source = f'v = r"""\nvoid f() {{\n{body}}}\n"""'
    stub = build.stub(source, "12.4")

    assert stub == 'v = r"""\nvoid f() {\n    static_assert(false, "TODO 12.4");\n}\n"""'


def test_an_open_region_is_an_error():
    """A forgotten END would hand out the solution, or swallow the rest."""
    with pytest.raises(SystemExit, match="not closed"):
        build.stub(f"def f():\n    {build.BEGIN}\n    return 1", "1.1")


def test_the_readme_shows_what_lesson_05_counted():
    """The picture's numbers in the README's words are those of the notebook that drew it."""
    readme = " ".join((ROOT / "README.md").read_text().split())
    cells = build.load(ROOT / "solutions" / "05_every_row.ipynb").cells
    drawn = next(c for c in cells if "picture:five_passes.png" in c.metadata.get("tags", []))
    counted = next(o["data"]["text/plain"] for o in drawn.outputs if "data" in o)
    five, one = re.findall(r"_softmax: (.*?); in all ([\d.]+) read and ([\d.]+) written", counted)

    words = dict(pair.rsplit(" ", 1) for pair in five[0].split(", "))
    names = {"amax": "max", "sub": "subtract", "exp": "exp", "sum": "sum", "div": "divide"}
    assert ", ".join(f"{names[k]} {v}" for k, v in words.items()) in readme
    assert f"move {float(five[1]) + float(five[2]):.2f} together" in readme
    assert f"The fused kernel moves {float(one[1]) + float(one[2]):.2f}" in readme


def test_the_readmes_feedback_is_what_the_check_prints():
    """Run again, so that it cannot grow stale."""
    (source,) = [each.source for each in stored("wrong") if each.name == "4.1/pad-zero"]
    exercise = lessons.exercises()["4.1"]

    assert judge(exercise, extract.extract([source], exercise.names)).text in (ROOT / "README.md").read_text()
