"""doctor(): a report of the features that work on this machine, without private data, to paste into a question."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys

from .. import environment
from ..isolation import HIDDEN, RUNGS, in_words
from ..language import say, wrap

# Programs for processes of their own: the interpreter needs an interpreted process, a GPU one that compiles.
_FEATURES = "import json; from grader.interpreter import selfcheck; print(json.dumps(selfcheck.run()))"
_CALLS = "import json; from grader.isolation.linux import calls; print(json.dumps(calls.missing()))"
_KNOWN = (
    "from grader.interpreter import selfcheck; "
    "assert selfcheck.copy_once({!r}).tolist() == [0, 1, 2, 3, 4], 'a wrong answer'"
)

_SECONDS = 20.0  # for a worker to import an empty answer


def doctor() -> None:
    """Print what this machine has and which features work, without private paths or names. It takes some seconds.

    >>> doctor()
    """
    show(report())


def show(found: dict[str, str]) -> None:
    """Print a report of `report`, one line for each entry, without paths."""
    for what, state in found.items():
        print(f"{wrap.padded(say(what), 18)} {say(_anonymous(state))}")


def report() -> dict[str, str]:
    """The report as {name: state}. The state of a feature is "on" or "off: why"."""
    from ..version import VERSION

    return {
        "course": VERSION,
        **environment.facts(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "order of imports": environment.order(),
        "tested": _tested(),
        **_calls(),
        **_features(),
        **_workers(),
        **_isolation(),
        "g++ for CUDA": "on" if environment.has_compiler() else "off: there is no g++, which lesson 12 needs",
    }


def healthy(found: dict[str, str]) -> bool:
    """Whether every check can run. It can without a rung of the sandbox too."""
    return not any(state.startswith("off") for what, state in found.items() if what.strip() not in (*RUNGS, HIDDEN))


def _tested() -> str:
    """Whether `make matrix` has tested the installed version of Triton, as a sentence."""
    try:
        record = (environment.ROOT / "records" / "triton_versions.json").read_text(encoding="utf-8")
        rows = json.loads(record)["results"]
    except OSError:
        return "there is no record of it here"
    row = next((row for row in rows if row["triton"] == environment.triton()), None)
    if row is None:
        return f"not with this Triton, but with {', '.join(row['triton'] for row in rows)}"
    missing = [what for what, state in row.items() if state.startswith("off")]
    return f"with this Triton and torch {row['torch']}: " + (f"no {', no '.join(missing)}" if missing else "all works")


def _calls() -> dict[str, str]:
    """The system calls that this machine lacks, with what follows; one line if it has all. Empty outside of Linux."""
    if sys.platform != "linux":
        return {}
    done = _python(_CALLS, "1")
    try:
        found = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return {"system calls": f"off: {_last(done)}"}
    return {"system calls": f"missing: {', '.join(found)}" if found else "on"} | {f"  {k}": v for k, v in found.items()}


def _features() -> dict[str, str]:
    """The states of the interpreter's features after their controls, and of a kernel with a known result."""
    if missing := environment.without_triton():
        return {"kernels": f"off: {missing}"}
    done = _python(_FEATURES, "1")
    try:
        found = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        found = {"interpreter": f"off: {_last(done)}"}
    known = {"known answer": _known("cpu", "1")}
    if environment.has_gpu():
        known["known answer, GPU"] = _known("cuda", "0")
    return known | found


def _known(device: str, interpret: str) -> str:
    """ "on" if a kernel with a known result gives this result. device: "cpu" or "cuda". interpret: "1" or "0"."""
    done = _python(_KNOWN.format(device), interpret)
    return "on" if done.returncode == 0 else f"off: {_last(done)}"


def _python(code: str, interpret: str) -> subprocess.CompletedProcess:
    variables = os.environ | {"TRITON_INTERPRET": interpret, "FIVE_PASSES_WORKER": "1"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=environment.ROOT, env=variables, capture_output=True, text=True
    )


def _last(done: subprocess.CompletedProcess) -> str:
    return (done.stderr.strip().splitlines() or ["it did not start"])[-1]


def _workers() -> dict[str, str]:
    from ..judge import zygotes

    found = {}
    for mode in ("interpreted", "compiled"):
        try:
            with zygotes.get(mode).open("", _SECONDS):
                pass
            found[f"{mode} worker"] = "on"
        except (zygotes.NoWorker, zygotes.Deadline, zygotes.Died, OSError) as error:
            found[f"{mode} worker"] = f"off: {error or 'it took too long'}"
    return found


def _isolation() -> dict[str, str]:
    """The isolation level of answers, and the proved effect of each rung of the ladder."""
    from ..judge import zygotes

    level = zygotes.isolation()
    try:
        status = zygotes.get().status
    except zygotes.NoWorker:
        status = {}
    if not status:
        return {"isolation": f"{level}: no answer runs here"}
    from ..isolation.linux.ladder import proved

    rungs = {f"  {rung}": f"on: {proved(rung)}" if state == "on" else state for rung, state in status.items()}
    return {"isolation": in_words([level]), **rungs}


def _anonymous(text: str) -> str:
    """The text with each path reduced to its last component."""
    return re.sub(r"(?:[A-Za-z]:)?(?:[/\\][^\s/\\:'\"]+)+[/\\]", "…/", text)
