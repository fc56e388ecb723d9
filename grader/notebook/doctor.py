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
from ..sentence import fault, joined, kind_of, listed, mapped, said, tree

# Programs for processes of their own: the interpreter needs an interpreted process, a GPU one that compiles.
_PRINTED = "print(json.dumps({what: tree.pack(state) for what, state in found.items()}))"
_IMPORTS = "import json; from grader.sentence import tree; "
_FEATURES = f"{_IMPORTS}from grader.interpreter import selfcheck; found = selfcheck.run(); {_PRINTED}"
_CALLS = f"{_IMPORTS}from grader.isolation.linux import calls; found = calls.missing(); {_PRINTED}"
_KNOWN = (
    "from grader.interpreter import selfcheck; "
    "assert selfcheck.copy_once({!r}).tolist() == [0, 1, 2, 3, 4], 'a wrong answer'"
)

# Names and states that come from other processes, whose words are plain.
_PLAIN = (
    said("on"), said("guard"), said("poison"), said("ledger"), said("order"), said("speed"), said("bf16"),
    said("batch"), said("known answer, GPU"),
)  # fmt: skip
_MODES = {"interpreted": said("interpreted worker"), "compiled": said("compiled worker")}
_SECONDS = 20.0  # for a worker to import an empty answer


def doctor() -> None:
    """Print what this machine has and which features work, without private paths or names. It takes some seconds.

    >>> doctor()
    """
    show(report())


def show(found: dict[str, str]) -> None:
    """Print a report of `report`, one line for each entry, without paths."""
    for what, state in found.items():
        print(f"{wrap.padded(say(what), 18)} {say(mapped(state, _anonymous))}")


def report() -> dict[str, str]:
    """The report as {name: state}. The state of a feature is "on" or "off: why"."""
    from ..version import VERSION

    return {
        said("course"): VERSION,
        **environment.facts(),
        said("system"): said(
            "{system} {machine}, {cpu_count} cores",
            system=platform.system(),
            machine=platform.machine(),
            cpu_count=os.cpu_count(),
        ),
        said("order of imports"): environment.order(),
        said("tested"): _tested(),
        **_calls(),
        **_features(),
        **_workers(),
        **_isolation(),
        said("g++ for CUDA"): "on"
        if environment.has_compiler()
        else fault("off", "off: there is no g++, which lesson 12 needs"),
    }


def healthy(found: dict[str, str]) -> bool:
    """Whether every check can run. It can without a rung of the sandbox too."""
    return not any(kind_of(state) == "off" for what, state in found.items() if what.strip() not in (*RUNGS, HIDDEN))


def _tested() -> str:
    """Whether `make matrix` has tested the installed version of Triton, as a sentence."""
    try:
        record = (environment.ROOT / "records" / "triton_versions.json").read_text(encoding="utf-8")
        rows = json.loads(record)["results"]
    except OSError:
        return said("there is no record of it here")
    row = next((row for row in rows if row["triton"] == environment.triton()), None)
    if row is None:
        return said("not with this Triton, but with {list}", list=listed([row["triton"] for row in rows]))
    missing = [what for what, state in row.items() if what not in ("triton", "torch") and state != "on"]
    return said(
        "with this Triton and torch {torch}: {value}",
        torch=row["torch"],
        value=joined("{one}, {two}", [said("no {what}", what=what) for what in missing]) or said("all works"),
    )


def _calls() -> dict[str, str]:
    """The system calls that this machine lacks, with what follows; one line if it has all. Empty outside of Linux."""
    if sys.platform != "linux":
        return {}
    done = _python(_CALLS, "1")
    try:
        found = _printed(done)
    except (IndexError, ValueError):
        return {said("system calls"): fault("off", "off: {last}", last=_last(done))}
    return {said("system calls"): said("missing: {list}", list=listed(found)) if found else "on"} | {
        f"  {k}": v for k, v in found.items()
    }


def _features() -> dict[str, str]:
    """The states of the interpreter's features after their controls, and of a kernel with a known result."""
    if missing := environment.without_triton():
        return {said("kernels"): fault("off", "off: {missing}", missing=missing)}
    done = _python(_FEATURES, "1")
    try:
        found = _printed(done)
    except (IndexError, ValueError):
        found = {said("interpreter"): fault("off", "off: {last}", last=_last(done))}
    known = {said("known answer"): _known("cpu", "1")}
    if environment.has_gpu():
        known["known answer, GPU"] = _known("cuda", "0")
    return known | found


def _printed(done: subprocess.CompletedProcess) -> dict[str, str]:
    return {what: tree.unpack(state) for what, state in json.loads(done.stdout.splitlines()[-1]).items()}


def _known(device: str, interpret: str) -> str:
    """ "on" if a kernel with a known result gives this result. device: "cpu" or "cuda". interpret: "1" or "0"."""
    done = _python(_KNOWN.format(device), interpret)
    return "on" if done.returncode == 0 else fault("off", "off: {last}", last=_last(done))


def _python(code: str, interpret: str) -> subprocess.CompletedProcess:
    variables = os.environ | {"TRITON_INTERPRET": interpret, "FIVE_PASSES_WORKER": "1"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=environment.ROOT, env=variables, capture_output=True, text=True
    )


def _last(done: subprocess.CompletedProcess) -> str:
    return (done.stderr.strip().splitlines() or [said("it did not start")])[-1]


def _workers() -> dict[str, str]:
    from ..judge import zygotes

    found = {}
    for mode, name in _MODES.items():
        try:
            with zygotes.get(mode).open("", _SECONDS):
                pass
            found[name] = "on"
        except (zygotes.NoWorker, zygotes.Deadline, zygotes.Died, OSError) as error:
            found[name] = fault("off", "off: {value}", value=error or said("it took too long"))
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
        return {said("isolation"): said("{level}: no answer runs here", level=level)}
    from ..isolation.linux.ladder import proved

    rungs = {
        f"  {rung}": said("on: {proved}", proved=proved(rung)) if state == "on" else state
        for rung, state in status.items()
    }
    return {said("isolation"): in_words([level]), **rungs}


def _anonymous(text: str) -> str:
    """The text with each path reduced to its last component."""
    return re.sub(r"(?:[A-Za-z]:)?(?:[/\\][^\s/\\:'\"]+)+[/\\]", "…/", text)
