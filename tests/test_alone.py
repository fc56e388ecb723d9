"""A notebook opened alone, as in Colab: it gets the course from a server on this machine, once, or says why not."""

import ast
import errno
import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import tomllib
import zipfile

import catalogues
import in_language
import nbformat
import opening
import pytest
from conftest import ROOT, working_tree
from nbclient import NotebookClient
from test_notebook import learner, said

import colab_setup

ADDED = ("tests", "solutions", "tools", "locale", "site")  # in the repository, and not for learners
PAGE = b"<html><body>Please log in to this network.</body></html>"


class Source(http.server.BaseHTTPRequestHandler):
    """A repository's two addresses. The server's `what` says how it misbehaves: cut, page, or not at all."""

    def do_GET(self):
        self.server.asked.append(self.path)
        body = {
            "/raw/HEAD/colab_setup.py": (ROOT / "colab_setup.py").read_bytes(),
            "/archive/HEAD.zip": self.server.zip,
        }
        pages = {"page": PAGE, "null": b"null", "gb2312": "<html>请先登录".encode("gb2312")}
        body = pages.get(self.server.what) or body.get(self.path)
        if body is None:
            return self.send_error(404)
        have = int(self.headers.get("Range", "bytes=0-")[6:-1]) if self.server.ranges else 0
        if have and have >= len(body):
            return self.send_error(416)
        self.send_response(206 if have else 200)
        self.send_header("Content-Length", str(len(body) - have))
        self.end_headers()
        self.server.sent.append(len(body) - have)
        self.wfile.write(body[have : len(body) // 2] if self.server.what == "cut" else body[have:])

    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    """The working tree as its repository would serve it: everything in one folder."""
    folder = tmp_path_factory.mktemp("archive")
    working_tree(folder / "course-HEAD")
    return open(shutil.make_archive(folder / "HEAD", "zip", folder, "course-HEAD"), "rb").read()


@pytest.fixture
def source(archive, tmp_path, monkeypatch):
    """A server, and an empty folder to stand in."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Source)
    server.zip, server.what, server.ranges, server.asked, server.sent = archive, "", True, [], []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=functools.partial(server.serve_forever, poll_interval=0.05))
    thread.start()
    server.close = functools.cache(lambda: (server.shutdown(), thread.join(), server.server_close()))
    monkeypatch.setenv("FIVE_PASSES_COURSE", server.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    yield server
    server.close()


def alone(folder, cells, allow_errors=False):
    """Run cells where the folder is all there is, with a stand-in for Colab's own module."""
    (folder / "google" / "colab").mkdir(parents=True, exist_ok=True)
    (folder / "google" / "colab" / "__init__.py").touch()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(
        notebook, timeout=120, allow_errors=allow_errors, resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [said(c) for c in notebook.cells]


def until_first_check(stem):
    """The code cells of a learner's notebook up to its first check, with the answer filled in."""
    solved = {c.id: c.source for c in nbformat.read(ROOT / "solutions" / f"{stem}.ipynb", as_version=4).cells}
    cells = [c for c in learner(stem).cells if c.cell_type == "code"]
    last = next(i for i, c in enumerate(cells) if c.id.startswith("check-"))
    return [solved[c.id] for c in cells[: last + 1]]


@pytest.mark.whole
def test_a_notebook_alone_fetches_the_course_once_and_its_check_passes(source, tmp_path, monkeypatch):
    """Then a second notebook beside it, the set-up run twice, and the network gone: nothing is asked for again."""
    monkeypatch.delenv("FIVE_PASSES_PROGRESS")
    cells = until_first_check("04_one_row")
    first = alone(tmp_path, ["import google.colab", *cells, cells[0], "import grader; print(grader.__file__)"])

    assert [line.split()[0] for line in first[1].splitlines()] == ["device", "versions", "mode", "progress"]
    assert "ends with this session. To keep it, mount your Drive" in first[1]
    assert "cases · 3 of 3 points" in first[-3]
    assert first[1] == first[-2]
    assert f"{tmp_path}/five_passes/grader/__init__.py" == first[-1].strip()
    assert source.asked == ["/raw/HEAD/colab_setup.py", "/archive/HEAD.zip"]
    assert sorted(os.listdir(tmp_path)) == ["five_passes", "google"]
    assert set(ADDED).isdisjoint(os.listdir("five_passes"))

    source.close()
    second = alone(tmp_path, until_first_check("01_five_passes"))
    assert "cases · 2 of 2 points" in second[-1]


# {what goes wrong: (how to make it so, which of the first cell's sentences it says, what it names)}
WRONG = {
    "no network": (lambda source, folder: source.close(), "network", "Connection refused"),
    "broken off": (lambda source, folder: setattr(source, "what", "cut"), "network", "IncompleteRead"),
    "a page to sign in": (lambda source, folder: setattr(source, "what", "page"), "page", "127.0.0.1"),
    "a page for an archive": (lambda source, folder: setattr(source, "zip", PAGE), "page", "127.0.0.1"),
    "a page in another encoding": (lambda source, folder: setattr(source, "what", "gb2312"), "page", "127.0.0.1"),
    "a page that is Python": (lambda source, folder: setattr(source, "what", "null"), "page", "127.0.0.1"),
    "damaged": (lambda source, folder: setattr(source, "zip", flipped(source.zip)), "page", "127.0.0.1"),
    "a wrong name": (lambda source, folder: setattr(source, "url", f"{source.url}/me/none"), "server", "Error 404"),
    "no scheme": (lambda source, folder: setattr(source, "url", source.url[7:]), "scheme", "127.0.0.1"),
    "a name alone": (lambda source, folder: setattr(source, "url", "me/fork"), "scheme", "me/fork"),
    "a host that is none": (lambda source, folder: setattr(source, "url", "http://no host"), "network", "no host"),
    "no address": (lambda source, folder: setattr(source, "url", ""), "nowhere", "make fork REPO=OWNER/NAME"),
    "full disk": (lambda source, folder: os.symlink("/dev/full", folder / "five_passes.zip"), "disk", "No space left"),
    "in the way": (lambda source, folder: (folder / "five_passes").mkdir(), "folder", "five_passes"),
}


def flipped(zipped):
    """An archive with one bit of a file's contents changed, so that the file's checksum is wrong."""
    middle = zipped.index(b"course-HEAD/grader/") + 500
    return zipped[:middle] + bytes([zipped[middle] ^ 1]) + zipped[middle + 1 :]


def first_of(language):
    """The first cell of the notebooks in this language."""
    path = in_language.place("notebooks/04_one_row.ipynb", language)
    return next(c.source for c in nbformat.read(ROOT / path, as_version=4).cells if c.id == opening.ID)


def sentence(what, language):
    """A pattern of what the first cell, or one after it, says in this language."""
    text = (
        catalogues.said(catalogues.read(language, "feedback_setup"))[opening.WORDS[what]]
        if language != "en"
        else opening.WORDS[what]
    )
    return re.sub(r"\\{\w+\\}", ".*", re.escape(text))


@pytest.mark.parametrize("language", ["en", "zh_Hans"])
@pytest.mark.parametrize("what", WRONG)
@pytest.mark.one_in(5)
def test_what_goes_wrong_is_one_sentence_and_later_cells_send_back_to_it(source, tmp_path, monkeypatch, what, language):
    """What happened, where, and what to do; no traceback, and nothing that looks like a course."""
    happen, says, names = WRONG[what]
    happen(source, tmp_path)
    monkeypatch.setenv("FIVE_PASSES_COURSE", source.url)
    cells = [first_of(language), "from grader import check", 'check("4.1")', "1 / 0"]
    first, *later, own = alone(tmp_path, cells, allow_errors=True)

    assert re.fullmatch(f"UsageError: {sentence(says, language)}\n", first) and names in first
    for text, error in zip(later, ("No module named 'grader'", "name 'check' is not defined"), strict=True):
        assert re.fullmatch(sentence("later", language), text) and error in text
    assert "Traceback" in own and "ZeroDivisionError" in own
    assert not (tmp_path / "five_passes" / "grader").exists() and not (tmp_path / "five_passes.new").exists()


@pytest.mark.parametrize("language", ["en", "zh_Hans"])
def test_an_old_python_is_told_which_one_is_wanted(source, tmp_path, language):
    """Before anything is fetched. The cell is Python of that age, too."""
    old = "import sys; new, sys.version_info, sys.version = sys.version_info, (3, 6, 9), '3.6.9 (default)'"
    cells = [f"{old}\ntry:\n{textwrap.indent(first_of(language), '    ')}\nfinally: sys.version_info = new"]
    ast.parse(first_of(language), feature_version=(3, 6))
    (text,) = alone(tmp_path, cells, allow_errors=True)

    assert re.fullmatch(f"UsageError: {sentence('python', language)}\n", text) and "3.6.9" in text
    assert source.asked == []
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert wanted == ">=3.11" and "sys.version_info < (3, 11)" in opening.FIRST_CELL


@pytest.mark.whole
def test_a_first_cell_that_succeeds_at_last_is_as_if_it_had_at_once(source, tmp_path):
    """Later errors are the course's to show again."""
    cells = [f"import os; os.environ['FIVE_PASSES_COURSE'] = 'x'\n{first_of('en')}", "check", first_of("en"), "another"]
    cells[2] = f"os.environ['FIVE_PASSES_COURSE'] = {source.url!r}\n{cells[2]}"
    failed, later, done, own = alone(tmp_path, cells, allow_errors=True)

    assert "is no address" in failed and "This cell needs the course" in later
    assert "versions" in done and "no cell that has run defines another" in own


def test_a_course_that_cannot_start_is_a_sentence_too(source, tmp_path):
    """The course is there, and something that it needs is broken: no traceback of the course's own code."""
    (tmp_path / "five_passes" / "grader").mkdir(parents=True)
    (tmp_path / "five_passes" / "notebooks").mkdir()
    (tmp_path / "five_passes" / "requirements.txt").touch()
    (tmp_path / "five_passes" / "grader" / "__init__.py").write_text("raise OSError('libfoo.so is missing')")
    shutil.copy(ROOT / "colab_setup.py", tmp_path / "five_passes")
    (text,) = alone(tmp_path, until_first_check("04_one_row")[:1], allow_errors=True)

    assert text.startswith("The course is here and cannot start (OSError: libfoo.so is missing): restart the kernel")
    assert len(text.strip().splitlines()) == 1 and source.asked == []


@pytest.mark.parametrize("ranges", [True, False])
def test_a_download_that_broke_off_goes_on(source, ranges):
    """From where it stopped, if the server can do that; else from the beginning. The same twice more does no harm."""
    source.what, source.ranges = "cut", ranges
    for _ in range(2):
        with pytest.raises(OSError, match="broke off after .* they are kept"):
            colab_setup.fetch(source.url)
    source.what = ""
    colab_setup.fetch(source.url)

    assert (len(source.zip) - len(source.zip) // 2 if ranges else len(source.zip)) == source.sent[-1]
    assert (ROOT / "grader" / "judge" / "judge.py").read_bytes() == open(
        "five_passes/grader/judge/judge.py", "rb"
    ).read()
    assert os.listdir() == ["five_passes"]


@pytest.mark.parametrize("body", [PAGE, b"", "flipped", "another"], ids=["page", "nothing", "flipped", "another"])
def test_a_bad_archive_is_thrown_away(source, tmp_path, body):
    """So that the next attempt starts anew, and works."""
    good = source.zip
    if body == "another":
        with zipfile.ZipFile(tmp_path / "x.zip", "w") as z:
            z.writestr("folder/file", "not a course")
        body = (tmp_path / "x.zip").read_bytes()
        os.remove("x.zip")
    source.zip = flipped(good) if body == "flipped" else body
    with pytest.raises(zipfile.BadZipFile, match="thrown away"):
        colab_setup.fetch(source.url)
    assert os.listdir() == []

    source.zip = good
    colab_setup.fetch(source.url)
    assert os.listdir() == ["five_passes"]


def test_a_disk_that_fills_while_unpacking_keeps_the_archive(source, monkeypatch):
    """Room is made, the cell is run again, and nothing is fetched twice."""
    extract, left = zipfile.ZipFile.extract, iter(range(40))

    def full(*args):
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return extract(*args)

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left"):
        patch.setattr(zipfile.ZipFile, "extract", full)
        colab_setup.fetch(source.url)
    assert os.listdir() == ["five_passes.zip"]

    colab_setup.fetch(source.url)
    assert len(source.sent) == 1 and os.listdir() == ["five_passes"]


def test_a_folder_serves_as_well_as_a_server(archive, tmp_path, monkeypatch):
    """For a class without a network: the two files on a stick, and a file:// address."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stick" / "archive").mkdir(parents=True)
    (tmp_path / "stick" / "archive" / "HEAD.zip").write_bytes(archive)
    colab_setup.fetch((tmp_path / "stick").as_uri())

    assert os.path.exists("five_passes/grader/judge/judge.py")


@pytest.fixture
def without_rich(monkeypatch):
    """rich is not installed, as far as the set-up can see."""
    find = colab_setup.importlib.util.find_spec
    monkeypatch.setattr(colab_setup.importlib.util, "find_spec", lambda name: None if name == "rich" else find(name))


def test_only_what_is_missing_is_installed_and_the_rest_is_held(without_rich, monkeypatch, capsys):
    """pip is told to keep the torch and the Triton that are there, whatever their versions."""
    calls = []

    def run(command, **options):
        held = open(command[command.index("-c") + 1]).read()
        calls.append((command[command.index("-c") + 2 :], held))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(colab_setup.subprocess, "run", run)
    colab_setup.ready()

    ((wanted, held),) = calls
    assert wanted == ["rich>=13"]
    import torch
    import triton

    assert {f"torch=={torch.__version__}", f"triton=={triton.__version__}"} <= set(held.split())
    assert "Installing rich>=13" in capsys.readouterr().out


def test_what_cannot_be_installed_is_a_sentence(without_rich, monkeypatch):
    """No network, no room: what to do, without a traceback."""
    pip = [sys.executable, "-c", "import sys; sys.exit('ERROR: no matching distribution')"]
    run = subprocess.run
    monkeypatch.setattr(colab_setup.subprocess, "run", lambda command, **options: run(pip, **options))
    with pytest.raises(colab_setup.NotReady) as failed:
        colab_setup.ready()

    (sentence,) = failed.value._render_traceback_()
    assert "rich>=13 could not be installed (ERROR: no matching distribution): turn the network on" in sentence


def test_the_set_up_needs_the_standard_library_alone():
    """Until it has installed the rest."""
    nodes = [n for n in ast.walk(ast.parse((ROOT / "colab_setup.py").read_text())) if isinstance(n, ast.Import)]

    assert {a.name.partition(".")[0] for n in nodes for a in n.names} <= sys.stdlib_module_names
