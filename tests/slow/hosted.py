"""make hosted: every notebook alone, with the versions, the kernel and the empty folder that it meets in Colab.

    make hosted                 fetches what Colab has: several gigabytes, of which PyTorch for CUDA is nearly all
    make hosted TORCH=2.13.0    the same with another PyTorch, for a machine that has it already
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # as a script it finds what tests share

import nbformat  # noqa: E402
import pytest  # noqa: E402
from conftest import ROOT  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from test_alone import archive, source  # noqa: E402, F401, fixtures
from test_notebook import STEMS, learner, said  # noqa: E402

from grader import lessons  # noqa: E402

ENVIRONMENT = ROOT / ".env-hosted"
PYTHON = "python3.12"
VERSIONS = {
    "torch": "==2.9.*",
    "triton": "==3.5.*",
    "numpy": "==2.0.*",
    "matplotlib": "==3.10.0",
    "ipython": "==7.34.0",
    "ipykernel": "==6.17.1",
    "jupyter-client": "<8",
    "nbformat": "==5.10.*",
    "rich": "==13.*",
    "cloudpickle": "==3.1.*",
}
# What Colab sets besides, and the course might trip over.
VARIABLES = {"MPLBACKEND": "module://ipykernel.pylab.backend_inline", "COLAB_RELEASE_TAG": "stand-in"}


def build(torch: str) -> None:
    """Make the environment, or keep the one that was made with the same versions."""
    wanted = [name + version for name, version in (VERSIONS | {"torch": torch}).items()]
    stamp, python = ENVIRONMENT / "versions.json", ENVIRONMENT / "bin" / "python"
    if not stamp.exists() or json.loads(stamp.read_text()) != wanted:
        subprocess.run([_python(), "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        print(f"Fetching {', '.join(wanted)} for {ENVIRONMENT.name}", flush=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, *wanted], check=True)
        stamp.write_text(json.dumps(wanted))
    where = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    shutil.copytree(ROOT / "tests" / "slow" / "colab_kernel", where.stdout.strip(), dirs_exist_ok=True)
    spec = ENVIRONMENT / "share" / "jupyter" / "kernels" / "colab" / "kernel.json"
    spec.parent.mkdir(parents=True, exist_ok=True)
    start = [str(python), "-m", "colab_kernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": start, "display_name": "Colab", "language": "python", "env": VARIABLES}))


def _python() -> str:
    """Colab's Python where this machine has it, else the one that runs this."""
    found = shutil.which(PYTHON)
    if found and subprocess.run([found, "--version"], capture_output=True).returncode == 0:
        return found
    print(f"No {PYTHON} here, which Colab has; Python {sys.version.split()[0]} takes its place", flush=True)
    return sys.executable


@pytest.fixture
def run(source, tmp_path, monkeypatch):  # noqa: F811
    """A function that runs a notebook file where nothing else is, and returns it with its outputs."""
    monkeypatch.setenv("JUPYTER_PATH", str(ENVIRONMENT / "share" / "jupyter"))
    monkeypatch.delenv("FIVE_PASSES_PROGRESS")

    def run(file):
        shutil.copy(file, tmp_path)
        notebook = nbformat.read(tmp_path / file.name, as_version=4)
        folder = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(notebook, kernel_name="colab", timeout=600, allow_errors=True, resources=folder).execute()
        assert [file.name, "five_passes"] == sorted(os.listdir(tmp_path))
        assert source.asked == ["/raw/HEAD/colab_setup.py", "/archive/HEAD.zip"]
        first = next(cell for cell in notebook.cells if cell.cell_type == "code")
        assert [line.split()[0] for line in said(first).splitlines()] == ["device", "versions", "mode", "progress"]
        return notebook

    return run


def errors(notebook):
    return [
        "\n".join(output.traceback)
        for cell in notebook.cells if cell.cell_type == "code"
        for output in cell.outputs if output.output_type == "error"
    ]  # fmt: skip


@pytest.mark.parametrize("stem", STEMS)
def test_a_learners_notebook(run, stem):
    """Checks say "not yet", and a cell that needs an answer says which; no other error."""
    notebook = run(ROOT / "notebooks" / f"{stem}.ipynb")

    assert [each for each in errors(notebook) if not each.startswith("Not yet: this cell needs your answer to ")] == []
    checks = [said(cell) for cell in notebook.cells if cell.id.startswith("check-")]
    assert all("not yet: put your answer in place of the TODO of" in each for each in checks)


@pytest.mark.parametrize("stem", STEMS)
def test_a_solution(run, stem):
    """No error, and full marks."""
    notebook = run(ROOT / "solutions" / f"{stem}.ipynb")
    checks = {cell.id: said(cell) for cell in notebook.cells if cell.id.startswith("check-")}

    assert errors(notebook) == []
    for exercise in lessons.of_lesson(stem[:2]):
        verdict = checks[f"check-{exercise.id.replace('.', '-')}"]
        assert re.search(rf"(?<![\d.]){exercise.points:g} of {exercise.points:g} (bonus )?points?", verdict), verdict


def test_the_kernel_is_as_colabs(run, tmp_path_factory):
    """What the other tests stand on: its shell, its package, its versions."""
    asked = (
        "import IPython, google.colab, ipykernel, jupyter_client\n"
        "print(type(get_ipython()).__module__, IPython.__version__, ipykernel.__version__, jupyter_client.__version__)"
    )
    first = next(cell for cell in learner(STEMS[0]).cells if cell.cell_type == "code")
    cells = [first, nbformat.v4.new_code_cell(asked)]
    file = tmp_path_factory.mktemp("asked") / "asked.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
    notebook = run(file)

    shell, ipython, ipykernel, client = said(notebook.cells[1]).split()
    assert (shell, ipython, ipykernel) == ("google.colab._shell", "7.34.0", "6.17.1") and int(client[0]) < 8
    assert "Triton 3.5." in said(notebook.cells[0])


def test_nothing_of_colabs_would_be_replaced():
    """requirements.txt is content with all of it: pip finds nothing to fetch."""
    pip = [ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "--dry-run", "--no-index", "-r", "requirements.txt"]
    done = subprocess.run(pip, cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0 and "Would install" not in done.stdout, done.stderr


def main(torch: str = VERSIONS["torch"]) -> int:
    """Make the environment and run all notebooks in it. 1 when one of them fails."""
    build(torch if re.match(r"[<>=~]", torch) else f"=={torch}")
    tests = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal", "tests/slow/hosted.py"]
    return subprocess.run(tests, cwd=ROOT).returncode


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
