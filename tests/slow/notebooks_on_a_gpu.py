"""All notebooks where their kernels are compiled: make gpu, on a machine with a GPU.

    python tests/slow/notebooks_on_a_gpu.py [--jobs N] [--hidden] [--only 13] [--out FILE]

Executed are the solutions and the learners' notebooks, in English and in every other language. No given cell may end in
an error, but that a learner's one waits for a TODO; each check of a solution has full points and says "compiled on the
GPU". --hidden: with the GPU hidden, where kernels are interpreted, as the first cell says. Prints a line for each
notebook, and keeps what was run in FILE, one run for each card. Exits with 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import nbformat
from nbclient import NotebookClient

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]  # as a script it finds what tests share

import build  # noqa: E402
import catalogues  # noqa: E402
import in_language  # noqa: E402
from conftest import ROOT  # noqa: E402
from test_notebook import said  # noqa: E402

from grader import environment, lessons  # noqa: E402

_WAITS = re.compile(r"\bTODO \d+\.\d+|^(?:Not yet: |还不行：)")
_MODES = {False: "compiled for the GPU; checks also run interpreted", True: "interpreted: every kernel runs on the CPU"}


def notebooks() -> dict[str, nbformat.NotebookNode]:
    """{name: notebook}: solutions and learners' notebooks, in all languages."""
    found = {}
    for source in build.sources([]):
        solved, clean = build.read(source), build.learner(build.read(source), source.stem)
        found |= {f"solutions/{source.stem}": solved, f"notebooks/{source.stem}": clean}
        for code in catalogues.languages():
            place, short = build.opening.repository(), catalogues.short(code)
            for kind, english in (("solutions", solved), ("notebooks", clean)):
                found[f"{kind}/{short}/{source.stem}"] = in_language.notebook(english, source.stem, code, place)
    return found


def run(name: str, notebook: nbformat.NotebookNode, hidden: bool) -> tuple[float, list[str]]:
    """(seconds, problems as sentences) of one notebook, which is executed in place."""
    began = time.monotonic()
    variables = os.environ | {"FIVE_PASSES_PROGRESS": "off", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    variables |= {"CUDA_VISIBLE_DEVICES": ""} if hidden else {}
    folder = {"metadata": {"path": str(ROOT / "notebooks")}}
    NotebookClient(notebook, timeout=900, allow_errors=True, resources=folder).execute(env=variables)
    found = [f"{name}: {problem}" for problem in problems(name, notebook, hidden)]
    return time.monotonic() - began, found


def problems(name: str, notebook: nbformat.NotebookNode, hidden: bool) -> list[str]:
    """What is wrong with an executed notebook, as sentences."""
    found, solved = [], name.startswith("solutions/")
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if "/zh/" not in name and _MODES[hidden] not in said(cells[0]):
        found.append(f"the first cell does not say {_MODES[hidden]!r}")
    for cell in cells:
        for error in (output for output in cell.outputs if output.output_type == "error"):
            if solved or not _WAITS.search(f"{error.ename}: {error.evalue}") and not _WAITS.search(said(cell)):
                found.append(f"the cell {cell.source[:60]!r} ends in {error.ename}: {error.evalue[:300]}")
    checks = {cell.id: said(cell) for cell in cells if cell.id.startswith("check-")}
    for exercise in lessons.of_lesson(pathlib.Path(name).name[:2]) if solved else ():
        verdict = checks[f"check-{exercise.id.replace('.', '-')}"]
        points = f"{exercise.points:g}"
        if not re.search(rf"(?<![\d.]){points}\D+{points}(?![\d.])", verdict.partition("\n")[0]):
            found.append(f"{exercise.id} has not full points: {verdict[:300]}")
        if "/zh/" not in name and exercise.kernels and ("compiled on the GPU" in verdict) == hidden:
            found.append(f"{exercise.id} does not say where it ran: {verdict[:600]}")
    return found


def main() -> int:
    """Run them, print, and keep the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time, on one GPU")
    parser.add_argument("--hidden", action="store_true", help="with the GPU hidden")
    parser.add_argument("--only", metavar="NN", default="", help="one lesson")
    parser.add_argument("--out", metavar="FILE", type=pathlib.Path)
    given = parser.parse_args()
    if not environment.has_gpu():
        print("make gpu needs a GPU that PyTorch finds, and there is none here")
        return 2
    chosen = {name: each for name, each in notebooks().items() if pathlib.Path(name).name.startswith(given.only)}
    began = time.monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        done = dict(zip(chosen, pool.map(lambda name: run(name, chosen[name], given.hidden), chosen)))
    for name, (seconds, found) in done.items():
        print(f"{name:45} {seconds:5.0f} s  {'; '.join(found) or 'as it should be'}")
    wrong = [problem for _, found in done.values() for problem in found]
    print(f"{len(done)} notebooks in {(time.monotonic() - began) / 60:.1f} minutes, {len(wrong)} problems")
    if given.out:
        of = {"device": environment.facts()["device"], "gpu_hidden": given.hidden}
        run_now = of | {
            "command": " ".join(["python", "tests/slow/notebooks_on_a_gpu.py", *sys.argv[1:]]),
            "date": datetime.date.today().isoformat(),
            "versions": {each: environment.version(each) for each in ("torch", "triton", "numpy", "ipykernel")},
            "minutes": round((time.monotonic() - began) / 60, 1),
            "jobs": given.jobs,
            "notebooks": {name: round(seconds, 1) for name, (seconds, _) in done.items()},
            "problems": wrong,
        }
        kept = json.loads(given.out.read_text(encoding="utf-8"))["runs"] if given.out.exists() else []
        runs = [each for each in kept if {name: each[name] for name in of} != of] + [run_now]
        record = {"what": "Notebooks executed on a GPU: seconds of each, and what was wrong.", "runs": runs}
        given.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
