"""Every case of the answers in tests/right or tests/wrong, programs at once and one by one: both must agree.

    python tools/record/both_ways.py right|wrong [lesson such as 03, or exercise such as 10.2 ...]

Compared are the bytes that came back, the errors and the ledgers. Prints what differs, and exits with 1 if anything
does. It takes minutes, so it is no test; tests/test_batch.py runs a few.
"""

from __future__ import annotations

import os
import pathlib
import socket
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def differences(source: str, number: str) -> tuple[int, list[str]]:
    """(runs compared, what differed) for the cases of one exercise's answer."""
    from grader import interpreter, lessons
    from grader.device_side.server import Server
    from grader.host_side import apart
    from grader.interpreter import address_space
    from grader.judge import extract
    from grader.protocol import frames
    from grader.protocol.calls import pack_call

    exercise = lessons.exercises()[number]
    cases = [case for case in exercise.cases(1) if case.apart]
    placed, found, compared = address_space.Region.__post_init__, [], 0

    def anywhere(self):
        """Addresses that an answer computes with, or that a message names, must not depend on where a tensor lies."""
        placed(self)
        self.base -= self.real & 0xFF

    ours, theirs = socket.socketpair()
    with tempfile.TemporaryDirectory() as scratch:
        host = os.fork()
        if not host:
            try:
                ours.close()
                apart.serve(theirs.detach(), scratch, exercise.kernels)
            finally:
                os._exit(0)
        theirs.close()
        address_space.Region.__post_init__ = anywhere
        try:
            frames.receive(ours, 0)
            server = Server(ours)
            source = extract.extract([source], exercise.names).source
            server.handle({"op": "write", "source": source}, b"")
            server.handle({"op": "load", "driver": exercise.driver}, b"")
            for case in cases:
                header, payload = pack_call(case.call)
                results = []
                for batch in (False, True):
                    interpreter.current.batch = batch
                    results.append(repr(server.handle(header, b"".join(payload))))
                    results.append(description(server._observer.ledger))
                compared += 1
                found += ["what came back"] * (results[0] != results[2]) + ["the ledger"] * (results[1] != results[3])
        finally:
            address_space.Region.__post_init__ = placed
            ours.close()
            os.waitpid(host, 0)
    return compared, found


def description(ledger) -> tuple[list, list, list]:
    """The content of a ledger, in a form that can be compared."""
    launches = [{name: plain(value) for name, value in vars(launch).items()} for launch in ledger.launches]
    entries = [{name: value for name, value in vars(e).items() if name != "storage"} for e in ledger.entries]
    return entries, launches, ledger.language


def plain(value):
    """Arrays as lists and sets in order; anything else as its text."""
    if isinstance(value, dict):
        return {name: each.tolist() if hasattr(each, "tolist") else repr(each) for name, each in value.items()}
    return repr(sorted(value) if isinstance(value, set) else value)


def main(folder: str, which: tuple[str, ...]) -> int:
    """Compare the answers to these lessons and exercises, and say how many runs agreed."""
    from conftest import stored

    from grader import interpreter, lessons

    interpreter.install()
    total, wrong = 0, 0
    for kept in stored(folder):
        chosen = {kept.exercise, lessons.number_of(kept.exercise)} & {*which}
        if not chosen or kept.mistake in ("endless", "waits-for-others"):
            continue
        compared, found = differences(kept.source, kept.exercise)
        total, wrong = total + compared, wrong + bool(found)
        if found:
            print(f"{kept.name}: {found}", flush=True)
    print(f"{total} runs of tests/{folder} compared, {wrong} answers differed")
    return bool(wrong)


if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"
    sys.exit(
        main(sys.argv[1], tuple(sys.argv[2:]) or ("03", "04", "05", "07", "08", "09", "10", "11", "13", "14.3"))
    )
