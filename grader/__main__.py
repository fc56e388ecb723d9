"""python -m grader COMMAND."""

from __future__ import annotations

import argparse

from .cli import bench, doctor, explain, export, grade, listing, merge, new


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Exit status 0 when it did what it says, 2 for a usage error."""
    parser = argparse.ArgumentParser(prog="python -m grader", description="The judge of Five Passes to One.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (grade, merge, export, listing, doctor, bench, explain, new):
        command.add(commands)
    options = parser.parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    raise SystemExit(main())
