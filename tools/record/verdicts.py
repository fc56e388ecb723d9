"""Record the verdict on every stored answer, attack and mutant of a mistake, in all languages; or compare two records.

    python tools/record/verdicts.py record FILE [--only BEGINNING]
    python tools/record/verdicts.py compare BEFORE AFTER

A redesign of the engine changes none of them: record before it, compare after it, on the same machine. `compare` prints
what differs, and exits with 1 if anything does.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import sys
from concurrent.futures import ProcessPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import course  # noqa: E402  puts the course on the path

SECONDS = 20.0
ENDLESS = ("endless", "waits-for-others")  # mistakes that take all seconds that they get
_TIMES = re.compile(r"\d+(\.\d+)? (seconds|s|秒)\b|/tmp/\S+|0x[0-9a-f]+")


def answers() -> dict[str, tuple[str, str, float]]:
    """{name: (exercise, text, seconds)} of all stored answers, the attacks among them, and all mutants of mistakes."""
    sys.path.insert(0, str(course.ROOT / "tests"))
    from conftest import stored

    from grader.mistakes import registry

    found = {}
    for folder in ("right", "wrong", "attacks"):
        for kept in stored(folder):
            found[f"{folder}/{kept.name}"] = kept.exercise, kept.source, 1.0 if kept.mistake in ENDLESS else SECONDS
    for exercise, kinds in registry.mutants().items():
        for number, (mistake, each) in enumerate(kinds):
            name = f"mutant/{exercise} {mistake} {number}"
            found[name] = exercise, each.source(exercise), 1.0 if mistake in ENDLESS else SECONDS
    return found


def verdict(one: tuple[str, str, float]) -> dict:
    """The record of one verdict, without the time that it took, and its text in every language."""
    from grader import language, lessons
    from grader.judge import extract, render
    from grader.judge.judge import judge

    number, source, seconds = one
    exercise = lessons.exercises()[number]
    record = judge(exercise, extract.extract([source], exercise.names), seconds=seconds).record()
    del record["seconds"]
    texts = {}
    for code in language.languages():
        language.use(code)
        texts[code] = render.text(record)
    language.use("en")
    return record | {"texts": texts}


def compare(before: dict, after: dict) -> list[str]:
    """What differs between two records, as lines. Seconds, addresses and temporary folders do not count."""
    found = [f"{name}: only {'before' if name in before else 'after'}" for name in sorted(set(before) ^ set(after))]
    for name in sorted(set(before) & set(after)):
        old, new = (json.loads(_TIMES.sub("", json.dumps(each[name], ensure_ascii=False))) for each in (before, after))
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                found.append(f"{name}: {key}\n    {old.get(key)}\n    {new.get(key)}")
    return found


def main() -> int:
    """Record or compare, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--only", metavar="BEGINNING", default="", help="of the names, such as wrong/5.2/ or right/05_")
    given = parser.parse_args()
    if given.what == "compare":
        found = compare(*(json.loads(path.read_text(encoding="utf-8")) for path in given.files))
        print("\n".join(found) or "no difference")
        return bool(found)
    chosen = {name: each for name, each in answers().items() if name.startswith(given.only)}
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        done = dict(zip(chosen, pool.map(verdict, chosen.values(), chunksize=4)))
    given.files[0].write_text(json.dumps(done, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(done)} verdicts in {given.files[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
