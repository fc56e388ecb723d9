"""Badges and addresses: stamped for a repository, taken away without one, and never a reason to call a file stale."""

import os
import subprocess
import sys

import build
import catalogues
import nbformat
import opening
import pytest
from conftest import ROOT, working_tree

TOML = 'before = 1\n[tool.five-passes]\nrepository = ""\n'


@pytest.fixture
def root(tmp_path):
    """A copy of nothing but the place where the repository is kept, without a remote."""
    (tmp_path / "pyproject.toml").write_text(TOML)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def remote(root, url):
    subprocess.run(["git", "-C", root, "remote", "add", "origin", url], check=True)


@pytest.mark.parametrize(
    "url", ["https://github.com/me/a.fork.git", "git@github.com:me/a.fork.git", "https://github.com/me/a.fork"]
)
def test_the_remote_is_taken_where_it_is_on_github(root, url):
    """And kept, so that whoever builds next gets the same files."""
    remote(root, url)

    assert "me/a.fork" == opening.choose(None, root) == opening.repository(root)
    assert TOML.replace('""', '"me/a.fork"') == (root / "pyproject.toml").read_text()


@pytest.mark.parametrize("url", ["/some/where", "https://example.org/me/fork.git", None])
def test_another_remote_is_no_repository(root, url):
    """Nobody could open anything there."""
    if url:
        remote(root, url)

    assert "" == opening.choose(None, root) == opening.repository(root)


def test_a_fork_points_to_the_original_until_it_is_told(root):
    """So that a contribution does not carry a fork's badges; --repo says otherwise."""
    remote(root, "https://github.com/me/fork")
    opening.choose("the/original", root)

    assert opening.choose(None, root) == "the/original"
    assert "me/fork" == opening.choose("me/fork", root) == opening.repository(root)
    with pytest.raises(SystemExit, match="OWNER/NAME"):
        opening.choose("https://github.com/me/fork", root)


def test_the_first_code_cell_is_the_same_in_all_notebooks():
    """Folded away under a title in JupyterLab and Colab, as no other cell is; other languages have other words."""
    firsts = []
    for path in [*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "solutions").glob("*.ipynb")]:
        first, *others = (c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code")
        firsts.append(first)
        assert all("jupyter" not in c.metadata and "cellView" not in c.metadata for c in others)
        assert not any("colab_setup" in c.source for c in others)

    assert {c.source for c in firsts} == {f"{opening.FIRST_CELL}  # language: en"}
    assert firsts[0].source.startswith("# @title ") and len(firsts[0].source.splitlines()) < 60
    for language in catalogues.languages():
        cells = [nbformat.read(p, 4).cells for p in (ROOT / "notebooks" / catalogues.short(language)).glob("*.ipynb")]
        (spoken,) = {cell.source for each in cells for cell in each if cell.id == opening.ID}
        assert f'"{language}", {{' in spoken and not any(english in spoken for english in opening.WORDS.values())
    assert all(c.metadata.cellView == "form" and c.metadata.jupyter.source_hidden for c in firsts)


def test_a_stamped_notebook_has_badges_that_open_it_and_is_not_stale(monkeypatch):
    """Colab, Kaggle and ModelScope open this notebook; the address is the repository's; outputs and ids stay."""
    source = build.sources(["04"])[0]
    plain, stored = build.read(source), build.load(source.with_suffix(".ipynb"))
    monkeypatch.setattr(opening, "repository", lambda: "me/fork")
    stamped = build.read(source)
    title, first = build.learner(stamped, "04_one_row").cells[:2]

    for service in ("https://colab.research.google.com/github/", "?src=https://github.com/", "/notebook/share/github/"):
        assert f"{service}me/fork/blob/main/notebooks/04_one_row.ipynb)" in title.source
    assert '"FIVE_PASSES_COURSE", "https://github.com/me/fork")' in first.source
    assert [c.id for c in plain.cells] == [c.id for c in stamped.cells]
    assert build.unexecuted(build.merged(stamped, stored)) == []


def test_stamping_is_undone_without_a_repository():
    """The committed files name none; a second fork leaves nothing of the first."""
    source = build.sources(["04"])[0]
    notebook, readme = build.read(source), (ROOT / "README.md").read_text()
    before = build.text(notebook)
    assert ("[![Open in " in before) == bool(opening.repository())

    opening.stamp(notebook, "solutions/04_one_row.ipynb", "me/fork")
    opening.stamp(notebook, "solutions/04_one_row.ipynb", "you/fork")
    assert "me/fork" not in build.text(notebook) and "you/fork" in build.text(notebook)
    opening.stamp(notebook, "solutions/04_one_row.ipynb", opening.repository())
    assert before == build.text(notebook)

    forked = opening.readme(readme, "you/fork")
    assert forked.count("you/fork/blob/main/notebooks/00_check_your_bench.ipynb") == 3
    assert readme == opening.readme(forked, opening.repository())


def unnamed(root):
    """The files of the project that say YOU/YOUR-FORK, but for what puts it there, tests, and a finished site."""
    aside = [f":!{each}" for each in ("tests", "tools/opening.py", "site/pages", "site/html")]
    search = ["git", "grep", "--no-index", "--exclude-standard", "-lI", "YOUR-FORK", "--", *aside]
    return {root / name for name in subprocess.run(search, cwd=root, capture_output=True, text=True).stdout.split()}


def test_every_text_that_names_no_fork_is_told_its_name():
    """Another fork leaves nothing of the first; without one, a text is as it is shipped."""
    repository = opening.repository()
    assert opening.texts(ROOT, repository) == {}

    named = opening.texts(ROOT, "me/fork")
    assert {ROOT / "docs" / name for name in ("classroom.yml", "instructors.md", "zh/instructors.md")} <= named.keys()
    assert unnamed(ROOT) == (set() if repository else named.keys())
    for path, text in named.items():
        assert "YOUR-FORK" not in text and "me/fork" in text
        assert "me/fork" not in opening.sourced(text, "you/fork")
        assert path.read_text(encoding="utf-8") == opening.sourced(text, repository)


@pytest.mark.whole
def test_a_fork_needs_one_command(tmp_path):
    """It points all notebooks, the README and the pages to itself, and keeps outputs."""
    made = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "fork", "REPO=me/fork", f"BIN={os.path.dirname(sys.executable)}"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    working_tree(tmp_path / "fork")
    subprocess.run(made.stdout.splitlines()[-1].split(), cwd=tmp_path / "fork", check=True)

    for before in [*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "solutions").glob("*.ipynb")]:
        after = nbformat.read(tmp_path / "fork" / before.relative_to(ROOT), as_version=4)
        first = next(c for c in after.cells if c.cell_type == "code")
        assert '"FIVE_PASSES_COURSE", "https://github.com/me/fork")' in first.source
        assert f"me/fork/blob/main/{before.relative_to(ROOT)})" in after.cells[0].source
        assert [c.get("outputs") for c in nbformat.read(before, 4).cells] == [c.get("outputs") for c in after.cells]
    assert "me/fork/blob/main/notebooks/00_check_your_bench.ipynb)" in (tmp_path / "fork" / "README.md").read_text()
    assert unnamed(tmp_path / "fork") == set()
    assert "repository: me/fork, path: course" in (tmp_path / "fork" / "docs" / "classroom.yml").read_text()
    check = [sys.executable, "tools/build.py", "--check"]
    assert subprocess.run(check, cwd=tmp_path / "fork", capture_output=True).returncode == 0
