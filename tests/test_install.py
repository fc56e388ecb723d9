"""What make learn does before JupyterLab starts: the Python is checked, and what is fetched is said first."""

import io
import json
import subprocess
import sys

import hosted
import install
import pytest
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.version import Version

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

    monkeypatch.setattr(install, "_cpu_index", list)
    monkeypatch.setattr(install, "_gpu", lambda: False)
    return fetches


def test_what_is_fetched_and_how_much_is_said_before_it_is_fetched(pip, capsys):
    """The largest by name, and that PyTorch comes without CUDA."""
    calls = pip(CPU)

    assert 0 == install.main("requirements-lab.txt")
    said = capsys.readouterr().out
    assert "Fetching 3 packages, 470 MB, into .venv: triton 3.9.0 with 280 MB, torch 2.13.0+cpu with 190 MB" in said
    assert "PyTorch is the one for the CPU: no GPU of NVIDIA was found." in said
    dry, real = calls
    assert "--dry-run" in dry and "--dry-run" not in real and "--quiet" not in real  # pip shows how far it is


def test_cuda_on_a_machine_without_a_gpu_is_said_with_its_reason(pip, capsys, monkeypatch):
    """And a size that no server tells is not counted as nothing."""
    pip(CUDA)
    monkeypatch.setattr(install.sys, "platform", "linux")
    install.main("requirements-lab.txt")
    said = capsys.readouterr().out

    assert "3 packages, 1.4 GB" in said and "The size of 1 is not known." in said
    assert "the one for CUDA: no GPU of NVIDIA was found, and https://download.pytorch.org/whl/cpu cannot be" in said


def test_nothing_is_fetched_twice(pip, capsys):
    """Where all is there, pip is not called again."""
    calls = pip({})

    assert 0 == install.main("requirements-lab.txt")
    assert "Everything is here." in capsys.readouterr().out and 1 == len(calls)


def test_what_cannot_be_installed_is_a_sentence(monkeypatch, capsys):
    """The first thing that pip complains of, and what to do."""
    said = b"WARNING: slow\nERROR: No matching distribution found for torch==2.13.0\nERROR: more\n"
    monkeypatch.setattr(install, "_cpu_index", list)
    monkeypatch.setattr(
        install.subprocess, "run", lambda command, **options: subprocess.CompletedProcess(command, 1, stderr=said)
    )

    assert 2 == install.main("requirements-lab.txt")
    why, todo = capsys.readouterr().err.splitlines()
    assert "ERROR: No matching distribution found for torch==2.13.0" == why
    assert f"with Python {sys.version.split()[0]}. See that the network is on" in todo


def test_pytorch_for_the_cpu_is_asked_for_where_there_is_no_gpu_and_its_address_answers(monkeypatch):
    """Else pip is left alone: an address that does not answer would hold up every package."""
    asked = []
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(install.urllib.request, "urlopen", lambda url, timeout: asked.append(url) or io.BytesIO())
    monkeypatch.setattr(install, "_gpu", lambda: True)
    assert [] == install._cpu_index() == asked

    monkeypatch.setattr(install, "_gpu", lambda: False)
    assert ["--extra-index-url", "https://download.pytorch.org/whl/cpu"] == install._cpu_index()

    monkeypatch.setattr(install.urllib.request, "urlopen", refuse)
    assert [] == install._cpu_index()


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


def test_what_colab_has_is_admitted_and_not_replaced():
    """Each version of make hosted lies in the range of requirements.txt."""
    lines = [line.strip() for line in (ROOT / "requirements.txt").read_text().splitlines() if line[0] not in "#-"]
    wanted = {r.name: r.specifier for r in map(Requirement, lines)}
    has = {name: version.strip("=<").replace(".*", ".0") for name, version in hosted.VERSIONS.items()}

    assert {"torch", "triton", "numpy", "ipykernel"} <= wanted.keys() & has.keys()
    for name in wanted.keys() & has.keys():
        assert Version(has[name]) in wanted[name], name
