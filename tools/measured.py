"""The README's table of what was measured without a GPU, from records/."""

from __future__ import annotations

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
_PLACE = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end of measured -->)", re.DOTALL)


def readme(text: str, records: pathlib.Path = ROOT / "records") -> str:
    """The README's text with a table that says what the records say."""
    return _PLACE.sub(lambda _: table(records), text)


def table(records: pathlib.Path) -> str:
    """One line a record, which it links to, and the machine of each."""
    lines = ["| without a GPU | |", "|---|---|"]
    machines = []
    for name, what, said in _LINES:
        record = json.loads((records / name).read_text(encoding="utf-8"))
        lines.append(f"| {what} | {said(record)} ([record](records/{name})) |")
        machine, versions = record["machine"], record["versions"]
        torch = versions["torch"].partition("+")[0]
        cores = f"{machine['cores']} cores of an {machine['processor']}"
        machines.append(f"{cores}, torch {torch}, Triton {versions['triton']}")
    where = "; ".join(dict.fromkeys(machines))
    return "\n".join(lines) + f"\n\n*{where}. Each record names its command: measure yours.*\n"


def _checks(record: dict) -> str:
    every = record["all_checks"]
    return f"median {every['median']:.2f} s, 95th percentile {every['percentile_95']:.1f} s"


def _start(record: dict) -> str:
    ready, imported = record["workers_ready"]["median"], record["import_grader"]["median"]
    return f"{ready:.1f} s, in the background; `import grader` {imported:.2f} s"


def _interpreter(record: dict) -> str:
    ratios = [row["ratio"] for row in record["results"]]
    return f"{min(ratios):.0f} to {max(ratios):.0f} times as fast"


def _class(record: dict) -> str:
    return f"{record['result']['students_a_minute']:.0f} students a minute"


def _graders(record: dict) -> str:
    times = record["result"]["times_ours"]
    return ", ".join(f"{name} takes {taken['seconds']:.1f} times as long" for name, taken in times.items())


_LINES = [
    ("check_times.json", "`check` of a right answer, over all exercises", _checks),
    ("check_times.json", "until the first check can run", _start),
    ("interpreter_speed.json", "guarded, poisoned, counted kernels, beside Triton's own interpreter", _interpreter),
    ("class_of_200.json", "a class, all lessons of each student", _class),
    ("graders_side_by_side.json", "the same notebooks of lessons 04 and 05 in other graders", _graders),
]
