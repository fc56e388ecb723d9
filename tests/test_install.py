"""What every command installs: the Python is checked, what is fetched is said first, and what the package holds."""

import ast
import functools
import importlib.metadata
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import hosted
import install
import pytest
from conftest import ROOT, working_tree
from packaging.requirements import Requirement
from packaging.version import Version

from grader.version import VERSION

CPU = {"torch": ("2.13.0+cpu", 190_000_000), "triton": ("3.9.0", 280_000_000), "rich": ("15.0.0", 300_000)}
CUDA = {"torch": ("2.13.0", 900_000_000), "nvidia-cudnn-cu13": ("9.24", 550_000_000), "rich": ("15.0.0", 0)}


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """A function that puts a pip in place which would fetch these packages. Returns the commands that pip will get."""

    def fetches(packages):
        calls = []
        for name, (_, size) in packages.items():
            with open(tmp_path / f"{name}.whl", "wb") as file:
                file.truncate(size)
        listed = [
            {"metadata": {"name": n, "version": v}, "download_info": {"url": (tmp_path / f"{n}.whl").as_uri()}}
            for n, (v, _) in packages.items()
        ]

        def run(command, **options):
            calls.append(command)
            if "--report" in command:
                with open(command[command.index("--report") + 1], "w") as file:
                    json.dump({"install": listed}, file)
            return subprocess.CompletedProcess(command, 0, stderr=b"")

        monkeypatch.setattr(install.subprocess, "run", run)
        return calls

    monkeypatch.setattr(install, "_prefers_cpu", lambda: False)
    monkeypatch.setattr(install, "_gpu", lambda: False)
    return fetches


def test_what_is_fetched_and_how_much_is_said_before_it_is_fetched(pip, capsys):
    """The largest by name, and that PyTorch comes without CUDA."""
    calls = pip(CPU)

    assert install.main(["lab"]) == 0
    said = capsys.readouterr().out
    assert "Fetching 3 packages, 470 MB: triton 3.9.0 with 280 MB, torch 2.13.0+cpu with 190 MB" in said
    assert "PyTorch is the one for the CPU: no GPU of NVIDIA was found." in said
    dry, real = calls
    assert "--dry-run" in dry and "--dry-run" not in real and "--quiet" not in real  # pip shows how far it is


def test_cuda_on_a_machine_without_a_gpu_is_said_with_its_reason(pip, capsys, monkeypatch):
    """And a size that no server tells is not counted as nothing."""
    pip(CUDA)
    monkeypatch.setattr(install.sys, "platform", "linux")
    install.main(["lab"])
    said = capsys.readouterr().out

    assert "3 packages, 1.4 GB" in said and "The size of 1 is not known." in said
    assert "the one for CUDA: no GPU of NVIDIA was found, and https://download.pytorch.org/whl/cpu cannot be" in said


def test_a_machine_that_grades_gets_pytorch_for_the_cpu_or_none(pip, capsys, monkeypatch):
    """The image, Gradescope and the workflows ask for it by name, whether or not the machine that builds has a GPU."""
    monkeypatch.setattr(install, "_gpu", lambda: True)
    calls = pip(CPU)
    assert install.main(["--cpu", "grading"]) == 0 and len(calls) == 2
    for command in calls:
        assert command[command.index("--extra-index-url") + 1] == "https://download.pytorch.org/whl/cpu"

    calls = pip(CUDA)
    assert install.main(["--cpu", "grading"]) == 2 and len(calls) == 1
    assert "PyTorch for the CPU is not to be had from https://download.pytorch.org/whl/cpu" in capsys.readouterr().err

    for file in GRADES:
        lines = re.findall(r"^(?!#).*python\S* tools/install\.py .*$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert lines and all(line.endswith("tools/install.py --cpu grading") for line in lines), file


def test_nothing_is_fetched_twice(pip, capsys):
    """Where all is there, pip is not called again."""
    calls = pip({})

    assert install.main(["lab"]) == 0
    assert "Everything is here." in capsys.readouterr().out and len(calls) == 1


def test_what_cannot_be_installed_is_a_sentence(monkeypatch, capsys):
    """The first thing that pip complains of, and what to do."""
    said = b"WARNING: slow\nERROR: No matching distribution found for torch==2.13.0\nERROR: more\n"
    monkeypatch.setattr(install, "_prefers_cpu", lambda: False)
    monkeypatch.setattr(
        install.subprocess, "run", lambda command, **options: subprocess.CompletedProcess(command, 1, stderr=said)
    )

    assert install.main(["lab"]) == 2
    why, todo = capsys.readouterr().err.splitlines()
    assert why == "ERROR: No matching distribution found for torch==2.13.0"
    assert f"with Python {sys.version.split()[0]}. See that the network is on" in todo


def test_pytorch_for_the_cpu_is_asked_for_where_there_is_no_gpu_and_its_address_answers(monkeypatch):
    """Else pip is left alone: an address that does not answer would hold up every package."""
    asked = []
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(install.urllib.request, "urlopen", lambda url, timeout: asked.append(url) or io.BytesIO())
    monkeypatch.setattr(install, "_gpu", lambda: True)
    assert not install._prefers_cpu() and asked == []

    monkeypatch.setattr(install, "_gpu", lambda: False)
    assert install._prefers_cpu() and asked == ["https://download.pytorch.org/whl/cpu/torch/"]

    monkeypatch.setattr(install.urllib.request, "urlopen", refuse)
    assert not install._prefers_cpu()


def refuse(url, timeout):
    raise OSError("Name or service not known")


@pytest.mark.parametrize(
    "python, sentence",
    [
        ("echo Python 3.8.1; exit 1", "The course needs Python 3.11 or newer, and {} is Python 3.8.1. Install a"),
        (None, "There is no {}. Install Python 3.11 or newer, or name one: make"),
    ],
)
def test_the_python_is_checked_before_anything_is_made(tmp_path, python, sentence):
    """Too old, or not there: which one is wanted, and how to name it."""
    name = tmp_path / "python"
    if python:
        name.write_text(f"#!/bin/sh\n{python}\n")
        name.chmod(0o755)
    pip = tmp_path / "venv" / "bin" / "pip"
    done = subprocess.run(
        ["make", f"VENV={tmp_path / 'venv'}", f"PYTHON={name}", str(pip)], cwd=ROOT, capture_output=True, text=True
    )

    assert done.returncode and sentence.format(name) in done.stdout
    assert not (tmp_path / "venv").exists()


def for_learners():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if not line.startswith("#")]


def test_what_colab_has_is_admitted_and_not_replaced():
    """Each version of make hosted lies in the range of requirements.txt."""
    wanted = {r.name: r.specifier for r in for_learners()}
    has = {name: version.strip("=<").replace(".*", ".0") for name, version in hosted.VERSIONS.items()}

    assert {"torch", "triton", "numpy", "ipykernel"} <= wanted.keys() & has.keys()
    for name in wanted.keys() & has.keys():
        assert Version(has[name]) in wanted[name], name


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PARTS = PROJECT["project"]["optional-dependencies"] | PROJECT["dependency-groups"]


def test_the_packages_of_learners_are_written_twice_and_are_the_same():
    """In requirements.txt, for hosted notebooks, and as the dependencies of the package."""
    assert for_learners() == [Requirement(each) for each in PROJECT["project"]["dependencies"]]
    assert PROJECT["project"]["dependencies"] == install.requirements([])


def test_parts_are_added_to_the_packages_of_learners(monkeypatch):
    """But for the part that lies beside them; a name that is no part is a sentence."""
    both = install.requirements(["grading", "dev"])
    assert both == [*PROJECT["project"]["dependencies"], *PARTS["grading"], *PARTS["dev"]]
    assert PARTS["nbgrader"] == install.requirements(["nbgrader"])
    with pytest.raises(SystemExit, match="There is no part grades; choose among grading, lab, dev"):
        install.requirements(["grades"])


def imported_by(script: pathlib.Path, near: list[pathlib.Path]) -> set[str]:
    """The packages of others that a script imports when it starts, itself and by the scripts that lie near."""
    found, seen, todo = set(), set(), [script]
    while todo:
        seen.add(here := todo.pop())
        for node in ast.parse(here.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            for name in {each.partition(".")[0] for each in names}:
                local = next((p for folder in near if (p := folder / f"{name}.py").is_file()), None)
                todo += [local] if local and local not in seen else []
                found |= set() if local else {name}
    return found - {*sys.stdlib_module_names, "grader"}


@pytest.mark.parametrize(("script", "part"), [("site/gather.py", "site"), ("tools/build.py", "dev")])
def test_a_part_has_what_its_scripts_import(script, part):
    """In a fresh copy, `make site` has no package of `make test`."""
    wanted = {Requirement(each).name.lower() for each in install.requirements([part])}
    of = importlib.metadata.packages_distributions()
    names = imported_by(ROOT / script, [ROOT / "site", ROOT / "tools"])
    assert names and not {name for name in names if wanted.isdisjoint(each.lower() for each in of[name])}


def test_every_package_has_a_version_with_which_the_course_was_tested():
    """But for Triton, which follows torch, and for what brings its own."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    tested = {r.name: r.specifier for r in map(Requirement, (line for line in lines if not line.startswith("#")))}
    wanted = [Requirement(each) for name in PARTS.keys() - install.ALONE for each in install.requirements([name])]

    assert {r.name for r in wanted} - tested.keys() == {"triton"}
    for each in wanted:
        assert each.name == "triton" or next(iter(tested[each.name])).version in each.specifier, each


GRADES = [
    ROOT / "Dockerfile", ROOT / "docs" / "classroom.yml", ROOT / "docs" / "instructors.md",
    ROOT / "grader" / "export" / "autograder" / "setup.sh",
]  # fmt: skip
INSTALLS = [
    *GRADES,
    ROOT / "Makefile",
    *(ROOT / "docs").glob("**/*.md"),
    *(ROOT / ".github" / "workflows").glob("*.yml"),
]


def test_one_installer_serves_all():
    """So PyTorch is the one for the CPU wherever there is no GPU; and the parts that are named exist."""
    named = set()
    for file in INSTALLS:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"pip install[^\n]* -r", text), file
        named |= set(" ".join(re.findall(r"python\S* tools/install\.py(?: --cpu)?((?: [a-z]+)+)", text)).split())
    assert {"grading", "nbgrader"} <= named <= PARTS.keys()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package, built without a network from the files that git keeps."""
    folder = tmp_path_factory.mktemp("wheel")
    working_tree(folder / "course")
    for leaves in ("notebooks", "tests", "solutions"):
        shutil.rmtree(folder / "course" / leaves)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), "."]
    done = subprocess.run(pip, cwd=folder / "course", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("five_passes-*.whl"))


@pytest.mark.whole
def test_the_package_holds_all_of_the_grader_and_nothing_else(wheel):
    """Kernels, drivers, templates, tables, catalogues too."""
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = {path for path in (ROOT / "grader").rglob("*") if path.is_file() and "__pycache__" not in path.parts}

    assert held == {path.relative_to(ROOT).as_posix() for path in files}
    assert {"grader/language/zh_Hans.json", "grader/fast/clusters.cu", "grader/rooms.toml"} <= held


def test_the_package_says_what_it_is(wheel):
    """Its version is the grader's, and it brings a command."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" in name]
        said = {name.rpartition("/")[2]: archive.read(name).decode() for name in names}

    assert f"Version: {VERSION}\n" in said["METADATA"] and "Requires-Python: >=3.11\n" in said["METADATA"]
    assert "grader = grader.__main__:main" in said["entry_points.txt"]


@pytest.mark.whole
def test_an_installed_package_runs_from_any_folder(wheel, tmp_path):
    """The command line, the softmax, and a verdict, whose answer may read torch and not the course."""
    place = tmp_path / "packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    run = functools.partial(
        subprocess.run, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(place)}, capture_output=True, text=True
    )
    assert "4.1" in run([sys.executable, "-m", "grader", "list"]).stdout
    reads = run([sys.executable, "-c", READS])
    assert reads.stdout in ("passed\nFileNotFoundError\n", "passed\nPermissionError\n"), reads.stdout + reads.stderr
    assert "Nothing written: there are no lessons here" in reads.stderr


READS = """
from grader import environment, lessons
from grader.__main__ import main
from grader.fast import softmax
from grader.judge import extract, judge, zygotes
from grader.spec import Call

assert environment.INSTALLED and environment.COURSE.name == "grader"
exercise = lessons.exercises()["0.1"]
print(judge.judge(exercise, extract.extract(["def double(x): return x + x"], exercise.names)).status)
source = "import pathlib\\ndef f(p): return pathlib.Path(p).read_text()"
with zygotes.get().open(source, 10.0) as session:
    print(session.run(Call("call", "f", (environment.__file__,))).error["type"])
assert 2 == main(["new", "5.9", "f"])
"""
