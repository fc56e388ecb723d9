"""python -m grader bench: the time of a check, or the speed of softmax on a GPU."""

from __future__ import annotations

import json
import pathlib
import sys


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("bench", help="measure how long a check takes, or how fast softmax is on a GPU")
    parser.add_argument("notebooks", nargs="*", type=pathlib.Path, help="notebooks with right answers")
    parser.add_argument(
        "--gpu", action="store_true", help="softmax beside a copy and its peers, and what the lessons show, on this GPU"
    )
    parser.add_argument(
        "--functions", nargs="*", metavar="PART",
        help="with --gpu: log_softmax, other dimensions (dims), cross_entropy, linear_cross_entropy, and the host's "
        "time (host); or only those that are named",
    )  # fmt: skip
    parser.add_argument("--lesson", action="append", help="with --gpu: only what this lesson shows, such as 15")
    parser.add_argument("--out", type=pathlib.Path, help="where the record goes")
    parser.set_defaults(run=run)


def run(options) -> int:
    """Print a table, and with --gpu write a record and its picture. Exit status 2: there is nothing to measure."""
    from .. import environment
    from ..bench import latency

    if options.gpu:
        if not environment.has_gpu() or environment.interpreted():
            print("There is no GPU here that Triton compiles for, so there is nothing to time.", file=sys.stderr)
            return 2
        from ..bench import gpu, per_lesson

        if options.lesson:
            return _lessons(options.lesson, options.out or pathlib.Path("lessons_on_gpu.json"))
        if options.functions is not None:
            return _functions(options.functions, options.out or pathlib.Path("functions_on_gpu.json"))
        from ..notebook import charts

        out = options.out or pathlib.Path("softmax_on_gpu.json")

        def keep(done: dict) -> None:
            out.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")

        done = gpu.measure(f"python -m grader bench --gpu --out {out}", keep)
        done["lessons"], missing = per_lesson.run()
        done["left_out"] += missing
        keep(done)
        print(gpu.table(done))
        picture = out.with_suffix(".png")
        charts.bandwidth(done).savefig(picture)
        print(f"The record is in {out}, the picture in {picture}.")
        return 0
    notebooks = options.notebooks or sorted((environment.ROOT / "solutions").glob("*.ipynb"))
    if not notebooks:
        print("Name notebooks with right answers: python -m grader bench NOTEBOOK...", file=sys.stderr)
        return 2
    print(latency.table(latency.measure(notebooks, options.out)))
    return 0


def _functions(parts: list[str], out: pathlib.Path) -> int:
    """Print a table, and write a record of the functions that softmax's own record leaves out."""
    from ..bench import functions

    if unknown := [part for part in parts if part not in functions.PARTS]:
        print(f"There is no part {', '.join(unknown)}; choose among {', '.join(functions.PARTS)}.", file=sys.stderr)
        return 2
    command = " ".join(["python -m grader bench --gpu --functions", *parts, "--out", str(out)])

    def keep(done: dict) -> None:
        out.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")

    print(functions.table(functions.measure(command, keep, parts)))
    print(f"The record is in {out}.")
    return 0


def _lessons(chosen: list[str], out: pathlib.Path) -> int:
    """Write a record of what these lessons show of a GPU. Exit status 2: one of them was not measured."""
    from ..bench import gpu, per_lesson

    if unknown := [number for number in chosen if number not in per_lesson.LESSONS]:
        print(f"Nothing of lesson {', '.join(unknown)} is measured; choose among {', '.join(per_lesson.LESSONS)}.")
        return 2
    asked = "".join(f" --lesson {number}" for number in chosen)
    done = gpu.header(f"python -m grader bench --gpu{asked} --out {out}", "What these lessons show of a GPU.")
    done["lessons"], done["left_out"] = per_lesson.run(chosen)
    out.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    print("\n".join([*done["left_out"], f"The record is in {out}."]))
    return 2 if done["left_out"] else 0
