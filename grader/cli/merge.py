"""python -m grader merge: the results of several parts become one folder."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

from ..isolation import LEVELS
from ..language import say
from ..sentence import counted, joined, said
from ..version import VERSION

_RULES = said(
    """\
Of several rows about one file, merge keeps that of this version of the grader, then that of the higher isolation level,
then one that was judged in full, then the row of the folder that is named last. Rows that --out has already count as
named first. Merge says where rows differ.

exit status:
  0  every submitted file has a row and was judged in full, and the verdicts of all rows about a file agree
  1  the rows are joined, but a file has no row or was not judged in full, a row is damaged, or verdicts differ
  2  nothing is joined, or not all rows could be written"""
)


class _NotReadable(Exception):
    """A folder holds no results, or they cannot be read."""


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser(
        "merge", help=said("join the results of grade --shard"), epilog=_RULES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument(
        "parts", nargs="+", type=pathlib.Path, metavar="DIR", help=said("a folder that grade --out named")
    )
    parser.add_argument("--out", type=pathlib.Path, required=True, help=said("where the joined results.jsonl goes"))
    parser.set_defaults(run=run)


def run(options) -> int:
    """Join results. Exit status: see _RULES."""
    from ..classroom import assignment, plan, results_store, rows

    try:
        parts = _read(options.parts)
        with results_store.Results(options.out) as results:
            # The parts may include --out. Its rows, and the names of its files, stay.
            contents = {options.out: results.contents}
            contents |= {part: found for part, found in parts.items() if part.resolve() != options.out.resolve()}
            expected = dict.fromkeys(name for part in contents for name in results_store.expected(part))
            results.expect(list(expected))
            plan.join(contents, options.out)
            assignment.adopt(options.out, parts)
            copies = _copies(contents)
            for of_file in copies:
                best = _best(of_file)
                key = results_store.key_of(of_file[best])
                line = contents[best].lines[key]
                if results.contents.lines.get(key) != line:
                    results.add(rows.with_sentences(json.loads(line)))
    except (_NotReadable, results_store.Busy) as error:
        print(say(said("Nothing merged: {error}.", error=error)), file=sys.stderr)
        return 2
    except OSError as error:
        why = error.strerror or error
        print(
            said(
                "The results cannot be written to {out}: {why}. The rows that are there stay, and "
                "the same command adds the others.",
                out=repr(str(options.out)),
                why=why,
            ),
            file=sys.stderr,
        )
        return 2
    joined_names = {row["submission"] for of_file in copies for row in of_file.values()}
    missing = [name for name in expected if name not in joined_names]
    wrong = [
        joined("{one}: {two}", [str(part / results_store.RESULTS), line.sentence])
        for part, found in contents.items()
        for line in found.damaged
    ]
    wrong += [said("missing: {name} was handed in and has no row", name=repr(name)) for name in missing]
    kept = [of_file[_best(of_file)] for of_file in copies]
    unjudged = [row["submission"] for row in kept if rows.failed(row) or rows.for_a_person(row)]
    wrong += [said("not judged in full: {name}, whose row says why", name=repr(name)) for name in unjudged]
    agree = _compare(copies)
    for sentence in wrong:
        print(say(sentence), file=sys.stderr)
    print(
        say(
            said(
                "{submissions} with a row in {value}, {count} without",
                submissions=counted(len(joined_names), "submission"),
                value=options.out / results_store.RESULTS,
                count=len(missing),
            )
        )
    )
    return 1 if wrong or not agree else 0


def _read(parts: list[pathlib.Path]) -> dict:
    """The contents of each folder, which is read once. Raises _NotReadable."""
    from ..classroom import results_store

    found, names = {}, {}
    for part in parts:
        file = part / results_store.RESULTS
        try:
            if not file.is_file():
                raise _NotReadable(
                    said("{part} holds no {RESULTS}", part=repr(str(part)), RESULTS=results_store.RESULTS)
                )
            first = names.setdefault(part.resolve(), part)
            if first in found:
                print(say(said("{part} is named twice, and joined once", part=repr(str(part)))), file=sys.stderr)
            found[first] = results_store.read(file)
        except OSError as error:
            raise _NotReadable(
                said("{file} cannot be read: {value}", file=repr(str(file)), value=error.strerror or error)
            ) from None
    return found


def _copies(contents: dict) -> list[dict]:
    """{folder: row} for each file of a student and lesson. Rows are about the same one if either replaces the other."""
    from ..classroom.rows import replaces

    found: dict[str, list[dict]] = {}
    for part, of_part in contents.items():
        for row in of_part.rows():
            of_name = found.setdefault(row["submission"], [])
            same = (
                each
                for each in of_name
                if part not in each and all(replaces(row, other) or replaces(other, row) for other in each.values())
            )
            group = next(same, None)
            if group is None:
                of_name.append({part: row})
            else:
                group[part] = row
    return [group for of_name in found.values() for group in of_name]


def _best(copies: dict) -> pathlib.Path:
    """The folder with the row to keep; copies: {folder: row}."""
    from ..classroom import rows

    def rank(part: pathlib.Path) -> tuple:
        row = copies[part]
        level = LEVELS.index(row["isolation"]) if row["isolation"] in LEVELS else -1
        return row["grader"] == VERSION, level, not rows.failed(row)

    return max(reversed(copies), key=rank)  # max takes the first of several


def _compare(copies: list[dict]) -> bool:
    """Print the differences between the rows about each file. Returns whether all verdicts agree."""
    from ..classroom.sanitize import plain

    agree = True
    for of_file in copies:
        best = _best(of_file)
        for part, other in of_file.items():
            kept = of_file[best]
            verdicts = _differences(_verdict(kept), _verdict(other))
            others = _differences(_circumstances(kept), _circumstances(other))
            agree = agree and not verdicts
            if verdicts or others:
                print(
                    plain(
                        said(
                            "{name} differs in {best} (kept) and {part}: {list}",
                            name=repr(kept["submission"]),
                            best=best,
                            part=part,
                            list=joined("{one}; {two}", verdicts + others),
                        )
                    ),
                    file=sys.stderr,
                )
    seeds = {row["seed"] for of_file in copies for row in of_file.values()}
    if len(seeds) > 1:
        print(
            say(
                said(
                    "graded with {count} different secrets: hand the same --secret FILE to every part", count=len(seeds)
                )
            ),
            file=sys.stderr,
        )
    return agree


def _verdict(row: dict) -> dict[str, str]:
    """The fields of a row that are a verdict on the file, as text."""
    found = {"sha256": str(row["sha256"])[:12], "lesson": str(row["lesson"])}
    found["score"] = f"{row['score']:g}/{row['max_score']:g}"
    for e in row["exercises"]:
        found[e["id"]] = f"{e['status']} {e['score']:g}/{e['max_score']:g} {e['mistake'] or ''}".rstrip()
    return found


def _circumstances(row: dict) -> dict[str, str]:
    problems = "; ".join(row["problems"])
    return {"grader": row["grader"], "isolation": row["isolation"], "secret": row["seed"], "problems": problems}


def _differences(kept: dict[str, str], other: dict[str, str]) -> list[str]:
    pairs = {name: (kept.get(name), other.get(name)) for name in kept | other}
    return [
        said("{name} {value}, not {value2}", name=name, value=a or said("none"), value2=b or said("none"))
        for name, (a, b) in pairs.items()
        if a != b
    ]
