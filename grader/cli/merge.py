"""python -m grader merge: the results of several parts become one folder."""

from __future__ import annotations

import pathlib
import sys


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("merge", help="join the results of grade --shard")
    parser.add_argument("parts", nargs="+", type=pathlib.Path, metavar="DIR", help="a folder that grade --out named")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the joined results.jsonl goes")
    parser.set_defaults(run=run)


def run(options) -> int:
    """Join results. Exit status 0: every submitted file has a row; 1: some have none; 2: nothing could be joined."""
    from ..classroom import results_store

    for part in options.parts:
        if not (part / results_store.RESULTS).is_file():
            print(f"Nothing merged: {str(part)!r} holds no {results_store.RESULTS}.", file=sys.stderr)
            return 2
    parts = [part for part in options.parts if part.resolve() != options.out.resolve()]
    try:
        with results_store.Results(options.out) as results:
            # Rows that --out already has stay, as in `grade`, unless a part has a row of the same submission.
            expected = dict.fromkeys(name for part in options.parts for name in results_store.expected(part))
            sources, seeds = _join(parts, results)
            results.expect(list(expected))
    except results_store.Busy as error:
        print(f"Nothing merged: {error}.", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"The results cannot be written to {str(options.out)!r}: {error.strerror or error}.", file=sys.stderr)
        return 2
    held = {row["submission"] for row in results_store.read_rows(options.out / results_store.RESULTS)}
    missing = [name for name in expected if name not in held]
    for name, folders in sources.items():
        if len(folders) > 1:
            print(f"came {len(folders)} times, the first is kept: {name!r} in {', '.join(map(str, folders))}")
    for name in missing:
        print(f"missing: {name!r} was handed in and has no row")
    if len(seeds) > 1:
        print(f"graded with {len(seeds)} different secrets: hand the same --secret FILE to every part")
    print(f"{len(held)} submissions have a row in {options.out / results_store.RESULTS}, {len(missing)} have none")
    return 1 if missing else 0


def _join(parts: list[pathlib.Path], results) -> tuple[dict[str, list[pathlib.Path]], set[str]]:
    """Add the rows of the parts. Returns the folders of each submission, and the names of the secrets."""
    from ..classroom import results_store

    sources: dict[str, list[pathlib.Path]] = {}
    seeds: set[str] = set()
    for part in parts:
        for row in results_store.read_rows(part / results_store.RESULTS):
            folders = sources.setdefault(row["submission"], [])
            if not folders:
                results.add(row)
                seeds.add(str(row.get("seed")))
            folders.append(part)
    return sources, seeds
