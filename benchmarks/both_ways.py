"""Every case of the answers in tests/right or tests/wrong, programs at once and one by one: both must agree.

    python benchmarks/both_ways.py right|wrong [beginning of a file's name ...]

Compared are the bytes that came back, the errors and the ledgers. Prints what differs, and exits with 1 if anything
does. It takes minutes, so it is no test; tests/test_batch.py runs a few.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
import socket
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def differences(source: str, number: str) -> tuple[int, list[str]]:
    """(runs compared, what differed) for the cases of one exercise's answer."""
    import torch

    from grader import interpreter, lessons
    from grader.interpreter import address_space, ledger
    from grader.judge import extract
    from grader.judge.session import Session
    from grader.worker import runner

    exercise = lessons.exercises()[number]
    handle, kept, found, compared = runner.Runner.handle, [], [], 0
    placed = address_space.Region.__post_init__

    def anywhere(self):
        """Addresses that an answer computes with, or that a message names, must not depend on where a tensor lies."""
        placed(self)
        self.base -= self.real & 0xFF

    class Kept(ledger.Ledger):
        def __init__(self):
            super().__init__()
            kept.append(self)

    def both(self, header, payload):
        nonlocal compared
        if header["op"] != "run":
            return handle(self, header, payload)
        results = []
        kept.clear()
        for batch in (False, True):
            interpreter.current.batch = batch
            torch.manual_seed(0)
            results.append(handle(self, header, payload))
        compared += 1
        if repr(results[0]) != repr(results[1]):
            found.append("what came back")
        if len(kept) == 2 and description(kept[0]) != description(kept[1]):
            found.append("the ledger")
        return results[1]

    ours, theirs = socket.socketpair()
    original, runner.Ledger, runner.Runner.handle = runner.Ledger, Kept, both
    address_space.Region.__post_init__ = anywhere
    try:
        with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
            served = threading.Thread(target=runner.serve, args=(theirs, scratch), daemon=True)
            served.start()
            source = extract.extract([source], exercise.names).source
            with Session(lambda: None, ours, source, 600.0) as session:
                for case in exercise.cases(1):
                    session.run(case.call)
            ours.close()
            served.join()
    finally:
        runner.Ledger, runner.Runner.handle, address_space.Region.__post_init__ = original, handle, placed
    return compared, found


def description(ledger) -> tuple[list, list, list]:
    """The content of a ledger, in a form that can be compared."""
    launches = [{name: plain(value) for name, value in vars(launch).items()} for launch in ledger.launches]
    return [vars(e) for e in ledger.entries], launches, ledger.language


def plain(value):
    """Arrays as lists and sets in order; anything else as its text."""
    if isinstance(value, dict):
        return {name: each.tolist() if hasattr(each, "tolist") else repr(each) for name, each in value.items()}
    return repr(sorted(value) if isinstance(value, set) else value)


def main(folder: str, begins: tuple[str, ...]) -> int:
    """Compare, and say how many runs agreed."""
    from grader import interpreter

    interpreter.install()
    total, wrong = 0, 0
    for path in sorted((ROOT / "tests" / folder).glob("*.py")):
        source = path.read_text(encoding="utf-8")
        header = dict(re.findall(r"^# (exercise|mistake): (.+)$", source, re.MULTILINE))
        if not path.name.startswith(begins) or header.get("mistake") in ("endless", "waits-for-others"):
            continue
        compared, found = differences(source, header["exercise"])
        total, wrong = total + compared, wrong + bool(found)
        if found:
            print(f"{path.name}: {found}", flush=True)
    print(f"{total} runs of tests/{folder} compared, {wrong} answers differed")
    return bool(wrong)


if __name__ == "__main__":
    import os

    os.environ["TRITON_INTERPRET"] = "1"
    sys.exit(
        main(sys.argv[1], tuple(sys.argv[2:]) or ("03", "04", "05", "07", "08", "09", "10", "11", "13", "14_softmax"))
    )
