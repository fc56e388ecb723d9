"""An environment for the graders of others, which sees the course's own packages."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sysconfig
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WANTED = HERE / "requirements.txt"


def make(folder: pathlib.Path) -> pathlib.Path:
    """A Python with nbgrader and otter in `folder`; torch and Triton are those of the course.

    The cases that tests run belong beside it, in the folder above.
    """
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    own = pathlib.Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (own / "course.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", WANTED], check=True)
    return python


def variables(python: pathlib.Path) -> dict[str, str]:
    """What a grader finds in os.environ: its own programs first, and what its tests import and read."""
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    tests = {"PYTHONPATH": str(HERE), "SAME_TESTS": str(python.parents[2])}
    return os.environ | tests | {"PATH": path, "OMP_NUM_THREADS": "1"}
