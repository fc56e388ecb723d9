"""python -m grader: grade, list, doctor, bench."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import unicodedata


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Exit status 0 when every file has a row, 2 for a usage error."""
    parser = argparse.ArgumentParser(prog="python -m grader", description="The judge of Five Passes to One.")
    commands = parser.add_subparsers(dest="command", required=True)
    grade = commands.add_parser("grade", help="grade notebooks")
    grade.add_argument("paths", nargs="+", type=pathlib.Path, metavar="PATH", help="a notebook, a folder, or a zip")
    grade.add_argument("--out", type=pathlib.Path, default=pathlib.Path("results"), help="where results.jsonl goes")
    grade.add_argument("--jobs", type=_positive(int), default=os.cpu_count() or 1, help="files graded side by side")
    grade.add_argument(
        "--timeout", type=_positive(float), default=20.0, metavar="S", help="seconds an exercise may take"
    )
    listing = commands.add_parser("list", help="list the exercises")
    listing.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("doctor", help="say what works on this machine")
    bench = commands.add_parser("bench", help="measure how long a check takes, or how fast softmax is on a GPU")
    bench.add_argument("notebooks", nargs="*", type=pathlib.Path, help="notebooks with right answers")
    bench.add_argument("--gpu", action="store_true", help="softmax beside a copy and its peers, on this GPU")
    bench.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path("softmax_on_gpu.json"), help="where the record of --gpu goes"
    )
    options = parser.parse_args(arguments)
    return {"grade": _grade, "list": _list, "doctor": _doctor, "bench": _bench}[options.command](options)


def _positive(kind):
    def convert(text: str):
        number = kind(text)
        if not number > 0:
            raise argparse.ArgumentTypeError(f"{text} is not above 0")
        return number

    return convert


def _grade(options) -> int:
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    from . import classroom, submission

    console = Console()
    try:
        handed = [h for path in options.paths for h in submission.find(path)]
    except submission.NothingToGrade as error:
        print(f"Nothing graded: {error}.", file=sys.stderr)
        return 2
    try:
        done = classroom.run(handed, options.out, options.jobs, options.timeout)
        rows = list(track(done, "grading", total=len(handed), console=Console(stderr=True), transient=True))
    except OSError as error:
        print(f"The results cannot be written to {str(options.out)!r}: {error.strerror or error}.", file=sys.stderr)
        return 2
    table = Table("submission", "lesson", "score", "exercises", "problems", title=f"isolation: {classroom.ISOLATION}")
    for row in sorted(rows, key=lambda r: r["submission"]):
        marks = "  ".join(f"{e['id']} {_mark(e)}" for e in row["exercises"])
        cells = [row["submission"], row["lesson"] or "-", f"{row['score']:g}/{row['max_score']:g}", marks]
        table.add_row(*(_plain(c) for c in cells), _plain("; ".join(row["problems"])))
    console.print(table)
    print(f"{len(rows)} of {len(handed)} files have a row in {options.out / 'results.jsonl'}")
    return 0


def _mark(exercise: dict) -> str:
    marks = {"passed": "✓", "not_attempted": "·"}
    return marks.get(exercise["status"], "✗") + (f" {exercise['mistake']}" if exercise["mistake"] else "")


def _plain(text: str):
    """Text from a stranger as text: no markup, no control or direction characters."""
    from rich.text import Text

    return Text("".join(c if unicodedata.category(c)[0] != "C" else "�" for c in text))


def _list(options) -> int:
    from . import lessons

    exercises = lessons.exercises().values()
    if options.json:
        rows = [{"id": e.id, "title": e.title, "names": e.names, "points": e.points} for e in exercises]
        print(json.dumps(rows, indent=1))
    else:
        for e in exercises:
            print(f"{e.id:<5} {e.points:>3g} points  {', '.join(e.names)}")
    return 0


def _doctor(options) -> int:
    """Say what works here; exit status 0 when every check can run."""
    from . import machine, pool

    machine.device()
    # The interpreter's features are only there in an interpreted process.
    code = "import json; from grader import selfcheck; print(json.dumps(selfcheck.run()))"
    environment = os.environ | {"TRITON_INTERPRET": "1", "FIVE_PASSES_WORKER": "1"}
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], cwd=pool.ROOT, env=environment, capture_output=True, text=True)
    try:
        status = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = done.stderr.strip().splitlines()
        status = {"interpreter": f"off: {last[-1] if last else 'it did not start'}"}
    for mode in ("interpreted", "compiled"):
        try:
            pool.zygote(mode).wait()
            status[f"{mode} worker"] = "on"
        except (pool.NoWorker, OSError) as error:
            status[f"{mode} worker"] = f"off: {error}"
    status["g++ for CUDA"] = "on" if machine.has_compiler() else "off: there is no g++, which lesson 12 needs"
    for feature, state in status.items():
        print(f"{feature:<18} {state}")
    return 0 if all(state == "on" for state in status.values()) else 1


def _bench(options) -> int:
    from . import machine, measure, pool

    if options.gpu:
        if not machine.has_gpu() or machine.interpreted():
            print("There is no GPU here that Triton compiles for, so there is nothing to time.", file=sys.stderr)
            return 2
        from . import draw, race

        done = race.record(options.out)
        print(race.table(done))
        picture = options.out.with_suffix(".png")
        draw.bandwidth(done).savefig(picture)
        print(f"The record is in {options.out}, the picture in {picture}.")
        return 0
    notebooks = options.notebooks or sorted((pool.ROOT / "solutions").glob("*.ipynb"))
    if not notebooks:
        print("Name notebooks with right answers: python -m grader bench NOTEBOOK...", file=sys.stderr)
        return 2
    print(measure.report(notebooks))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
