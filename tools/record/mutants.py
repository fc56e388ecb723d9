"""Judge wrong answers that a program makes: single edits of the course's own answers and of those in tests/right.

    python tools/record/mutants.py [--only EXERCISE] [--sample N] [--seed S] [--out records/mutants.json]

A mutant that earns full marks survives. It is no better or worse than the answer it comes from, and then
equivalent_mutants.toml says why, or a case is missing. Prints the survivors of which that file says nothing, and errors
of the course's own code, and exits with 1 if there are any.

--sample N judges N mutants of each exercise, by chance, instead of all of the course's own answers and a few of the
others. Verdicts are kept in a file beside FILE that ends in .jsonl, so a run that
was stopped goes on where it was; survivors are judged again. Without --out nothing is kept.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import pathlib
import random
import re
import sys
import textwrap
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import course  # noqa: E402  puts the course on the path
import cuda_mutations  # noqa: E402
import python_mutations  # noqa: E402

from grader import lessons  # noqa: E402
from grader.judge import extract, untrusted  # noqa: E402
from grader.judge.judge import SECONDS, judge  # noqa: E402
from grader.spec import Exercise, Result  # noqa: E402

EQUIVALENT = pathlib.Path(__file__).with_name("equivalent_mutants.toml")
OWN, STYLES = 300, 15  # mutants of each exercise in a full run: of the course's own answer at most, of other styles
CUDA = re.compile("__global__|__device__")
SOLUTION = "solution"  # the source of mutants of the course's own answer


@dataclass(frozen=True)
class Mutant:
    """A right answer with one edit. source: SOLUTION, or a file in tests/right. name: the same in every run."""

    exercise: str
    source: str
    name: str
    text: str


# ---- making


@functools.cache
def _own() -> dict[str, str]:
    return course.solutions()


def sources(exercise: Exercise) -> dict[str, str]:
    """The right answers to an exercise: the course's own, and those in other styles by the name of their file."""
    found = {SOLUTION: _own()[exercise.id]}
    for path in sorted((course.ROOT / "tests" / "right").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(rf"^# exercise: {re.escape(exercise.id)}$", text, re.MULTILINE):
            found[path.stem] = text
    return found


def mutants(exercise: Exercise, source: str, text: str, count: int | None = None, seed: int = 0) -> list[Mutant]:
    """The mutants of one answer that are Python, each once. count: so many of them, by chance."""
    tree = ast.parse(text)
    whole = [ast.unparse(statement) for statement in tree.body]
    learners = [
        (at, statement)
        for at, statement in enumerate(tree.body)
        if _is_learners(exercise, source, statement, ast.get_source_segment(text, statement) or "")
    ]
    order = None
    if count is not None:
        edits = sum(1 for _, statement in learners for _ in _edited(statement))
        chance = random.Random(f"{seed} {exercise.id} {source}")
        order = {number: place for place, number in enumerate(chance.sample(range(edits), min(edits, 2 * count)))}
    found, number, above = {"\n\n".join(whole): None}, -1, []
    for at, statement in learners:
        for before, edited in _edited(statement):
            number += 1
            if order is not None and number not in order:
                continue
            after, line = edited()
            mutated = "\n\n".join([*whole[:at], line, *whole[at + 1 :]])
            if mutated not in found and _is_python(mutated):
                kernel = f" {statement.targets[0].id}" if CUDA.search(before) else ""
                name = f"{exercise.id} {source}{kernel}: {_difference(before, after, [] if kernel else above)}"
                found[mutated] = number, Mutant(exercise.id, source, name, mutated)
        above += [line.strip() for line in ast.unparse(statement).split("\n")]
    made = [pair for pair in found.values() if pair]
    if order is not None:
        made = sorted(made, key=lambda pair: order[pair[0]])[:count]
    return [mutant for _, mutant in made]


def _is_learners(exercise: Exercise, source: str, statement: ast.stmt, text: str) -> bool:
    """Whether a statement is the learner's part of this exercise: no import, no answer to another, nothing given."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    binds = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    binds |= {getattr(statement, "name", None)} - {None}
    if binds & set(exercise.names):
        return True
    others = {name for each in lessons.exercises().values() for name in each.names}
    return not binds & others and (source != SOLUTION or "### BEGIN SOLUTION" in text)


def _edited(statement: ast.stmt) -> Iterator[tuple[str, Callable[[], tuple[str, str]]]]:
    """(text before, a function that gives the text after and the whole statement) of every edit, Python's or CUDA's."""
    before = ast.unparse(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CUDA.search(node.value):
            kernel = node.value
            for node.value in cuda_mutations.edits(kernel):
                yield kernel, lambda node=node: (node.value, ast.unparse(statement))
            node.value = kernel
            return
    for _ in python_mutations.edits(statement):
        yield before, lambda: (ast.unparse(ast.fix_missing_locations(statement)),) * 2


def _is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "mutant", "exec")
        except (SyntaxError, ValueError):
            return False
    return True


def _difference(before: str, after: str, above: list[str]) -> str:
    """The lines that differ: before -> after. Of lines that stand several times, the number of the one that changed.

    above: lines of the learner's statements before this one.
    """
    old, new = before.split("\n"), after.split("\n")
    first, last = 0, 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    changed, instead = old[first : len(old) - last], new[first : len(new) - last]
    bare = [line.strip() for line in old]
    bare, first = above + bare, first + len(above)
    earlier = sum(bare[i : i + len(changed)] == bare[first : first + len(changed)] for i in range(first))
    texts = ["\n".join(lines) for lines in (changed, instead)]
    shorter = [textwrap.dedent(text) for text in texts]  # unless the indentation is all that changed
    texts = [text.replace("\n", " | ") for text in (texts if shorter[0] == shorter[1] else shorter)]
    return " -> ".join(texts) + f" ({earlier + 1})" * bool(earlier)


def sample(exercise: Exercise, answers: dict[str, str], count: int, seed: int) -> list[Mutant]:
    """So many mutants of one exercise, from as many answers as can be. A new answer moves few of them."""
    order = sorted(answers, key=lambda source: random.Random(f"{seed} {source}").random())[:count]
    shares = [count // len(order) + (at < count % len(order)) for at in range(len(order))]
    return [m for source, share in zip(order, shares) for m in mutants(exercise, source, answers[source], share, seed)]


def every(exercise: Exercise) -> list[Mutant]:
    """The mutants of a full run: OWN of the course's own answer, of which few have more, and STYLES of the others."""
    answers = sources(exercise)
    own = answers.pop(SOLUTION)
    return mutants(exercise, SOLUTION, own, OWN) + sample(exercise, answers, STYLES, 0)


# ---- judging


def verdict(mutant: Mutant, seconds: float = SECONDS) -> Result:
    """The judge's result on a mutant, as on an answer handed in. seconds: for all cases; some edits never end."""
    exercise = lessons.exercises()[mutant.exercise]
    return judge(exercise, extract.extract([mutant.text], exercise.names), seconds=seconds)


def survives(result: Result) -> bool:
    """Whether a mutant has full marks."""
    return result.status == "passed" and result.score == result.max_score


@functools.cache
def equivalent() -> tuple[dict[str, str], dict[str, str]]:
    """The reasons for mutants that are as right as the answers they come from, by name, and by the name's beginning."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    return tuple({name: e["reason"] for e in entries for name in e.get(key, [])} for key in ("mutants", "beginning"))


def reason(mutant: str) -> str | None:
    """Why a mutant is as right as the answer it comes from; None where nobody has said so."""
    names, beginnings = equivalent()
    return names.get(mutant) or next((why for start, why in beginnings.items() if mutant.startswith(start)), None)


def unexplained(results: Iterable[tuple[str, Result]]) -> list[str]:
    """Names of the mutants that survive and of which equivalent_mutants.toml says nothing."""
    return [name for name, result in results if survives(result) and not reason(name)]


# ---- the program


def _line(mutant: Mutant) -> dict:
    """The verdict to keep. fault: an error of the course, which the judge survives and a verdict hides."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", untrusted.NotHandled)
        result = verdict(mutant)
    faults = [str(each.message) for each in caught if issubclass(each.category, untrusted.NotHandled)]
    kept = {name: getattr(result, name) for name in ("status", "score", "mistake", "also", "message")}
    line = {"mutant": mutant.name, "exercise": mutant.exercise, "survives": survives(result)} | kept
    return line | ({"fault": faults[0]} if faults else {})


def _lines(todo: list[Mutant], kept: pathlib.Path | None) -> Iterator[dict]:
    """The verdicts on these mutants; those on killed ones that were kept are not made again."""
    wanted, lines = {mutant.name for mutant in todo}, {}
    if kept and kept.exists():
        lines = {line["mutant"]: line for line in map(json.loads, kept.read_text(encoding="utf-8").splitlines())}
    done = {name for name, line in lines.items() if not line["survives"] and name in wanted}
    yield from (lines[name] for name in done)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = [pool.submit(_line, mutant) for mutant in todo if mutant.name not in done]
        for future in as_completed(running):
            line = future.result()
            if kept:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
            yield line


def summary(lines: list[dict]) -> dict[str, dict]:
    """For each exercise, and for all: mutants, killed, equivalent, survivors, named, and the share of killed named."""
    count = {id: Counter() for id in [*lessons.exercises(), "all"]}
    for line in lines:
        name = "killed" if not line["survives"] else "equivalent" if reason(line["mutant"]) else "survivors"
        for id in (line["exercise"], "all"):
            count[id] += Counter(["mutants", name] + ["named"] * (name == "killed" and line["mistake"] is not None))
    return {
        id: {name: c[name] for name in ("mutants", "killed", "equivalent", "survivors", "named")}
        | {"share_named": round(c["named"] / c["killed"], 3) if c["killed"] else None}
        for id, c in count.items()
        if c["mutants"]
    }


def main() -> int:
    """Judge, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="EXERCISE", choices=lessons.exercises())
    parser.add_argument("--sample", metavar="N", type=int)
    parser.add_argument("--seed", metavar="S", type=int, default=0)
    parser.add_argument("--out", metavar="FILE", type=pathlib.Path)
    given = parser.parse_args()
    chosen = [lessons.exercises()[given.only]] if given.only else lessons.exercises().values()
    todo = [m for e in chosen for m in (sample(e, sources(e), given.sample, given.seed) if given.sample else every(e))]
    lines = list(_lines(todo, given.out and given.out.with_suffix(".jsonl")))
    found = summary(lines)
    for id, row in found.items():
        print(f"{id:5}", "  ".join(f"{name} {value}" for name, value in row.items()))
    if given.out:
        from grader.bench import record

        command = " ".join(["python", "tools/record/mutants.py", *sys.argv[1:]])
        done = record.header("Single edits of right answers, and the verdicts on them.", command)
        text = json.dumps(done | {"exercises": found}, indent=1) + "\n"
        given.out.write_text(text, encoding="utf-8")
    left = sorted(line["mutant"] for line in lines if line["survives"] and not reason(line["mutant"]))
    faults = [f"{line['mutant']}: {line['fault']}" for line in lines if "fault" in line]
    print(*left, *faults, sep="\n")
    return bool(left or faults)


if __name__ == "__main__":
    sys.exit(main())
