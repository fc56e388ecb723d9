"""The course's answers in a race, on the GPU of this machine: what race() shows where there is none.

    python tools/record/races.py records/races_on_h200.json

It takes about three minutes. The record is written after each exercise. Exercises that are named behind the path are
raced again alone, and the others stay: python tools/record/races.py records/races_on_h200.json 5.2 8.4
"""

from __future__ import annotations

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader import lessons  # noqa: E402
from grader.bench import gpu  # noqa: E402
from grader.mistakes.mutant import reference  # noqa: E402
from grader.protocol import schema  # noqa: E402
from grader.racing import race  # noqa: E402
from grader.racing.raced import Raced  # noqa: E402
from grader.spec import Answer, Result  # noqa: E402

SECRET = b"a secret that everybody knows"  # a record tells what was run
WHAT = (
    "The course's answer to each exercise that races, with the peers of a race, on the shapes that everybody knows. "
    "copy: microseconds of a copy of as many bytes as have to move at least; quartiles: of the timed replays."
)


def main(path: str, *only: str) -> None:
    """Race, and write the record. only: ids of exercises; none: all of them."""
    file = pathlib.Path(path)
    done = json.loads(file.read_text(encoding="utf-8"))["races"] if only and file.exists() else {}
    for exercise in only or race.exercises():
        passed = Result(exercise, "", "passed", 1.0, 1.0)
        found = race.race(
            lessons.exercises()[exercise], Answer(reference(exercise)), SECRET,
            on=race.shapes(exercise, SECRET, drawn=0), peers=True, checked=passed,
        )  # fmt: skip
        done[exercise] = _rounded(schema.pack(found, Raced))
        print(exercise, found.refused, *(lap.share for lap in found.laps), flush=True)
        head = gpu.header(f"python tools/record/races.py {path}", WHAT)
        file.write_text(json.dumps(head | {"races": done}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(data):
    if isinstance(data, float):
        return round(data, 3)
    if isinstance(data, dict):
        return {name: _rounded(each) for name, each in data.items()}
    return [_rounded(each) for each in data] if isinstance(data, list) else data


if __name__ == "__main__":
    main(*sys.argv[1:])
