"""doctor(): what works on this machine, in a form that can be pasted into a question."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys

from .. import environment
from ..isolation import LEVELS, RUNGS, in_words

# The interpreter's features are only there in an interpreted process, and a GPU's answer only in one that compiles.
_FEATURES = "import json; from grader.interpreter import selfcheck; print(json.dumps(selfcheck.run()))"
_KNOWN = (
    "from grader.interpreter import selfcheck; "
    "assert selfcheck.copy_once({!r}).tolist() == [0, 1, 2, 3, 4], 'a wrong answer'"
)


def doctor() -> None:
    """Say what this machine has and what works on it, without a path or a name of yours. It takes some seconds.

    >>> doctor()
    """
    show(report())


def show(found: dict[str, str]) -> None:
    """Print a report, a line each, without paths."""
    for what, state in found.items():
        print(f"{what:<18} {_anonymous(state)}")


def report() -> dict[str, str]:
    """{what: how it is}. A feature is "on", or "off: why"."""
    from ..version import VERSION

    return {
        "course": VERSION,
        **environment.facts(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "order of imports": environment.order(),
        "tested": _tested(),
        **_features(),
        **_workers(),
        **_isolation(),
        "g++ for CUDA": "on" if environment.has_compiler() else "off: there is no g++, which lesson 12 needs",
    }


def healthy(found: dict[str, str]) -> bool:
    """Whether every check can run. A rung of the sandbox that is off keeps none from running."""
    return not any(state.startswith("off") for what, state in found.items() if what.strip() not in RUNGS)


def _tested() -> str:
    """Whether `make matrix` ran with the Triton at hand."""
    try:
        rows = json.loads((environment.ROOT / "docs" / "triton_versions.json").read_text(encoding="utf-8"))["results"]
    except OSError:
        return "there is no record of it here"
    row = next((row for row in rows if row["triton"] == environment.triton()), None)
    if row is None:
        return f"not with this Triton, but with {', '.join(row['triton'] for row in rows)}"
    missing = [what for what, state in row.items() if state.startswith("off")]
    return f"with this Triton and torch {row['torch']}: " + (f"no {', no '.join(missing)}" if missing else "all works")


def _features() -> dict[str, str]:
    """Each shown to act on a wrong kernel and to leave a right one alone, in processes of their own."""
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
    """Whether a kernel whose answer is known gives it."""
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
            zygotes.get(mode).wait()
            found[f"{mode} worker"] = "on"
        except (zygotes.NoWorker, OSError) as error:
            found[f"{mode} worker"] = f"off: {error}"
    return found


def _isolation() -> dict[str, str]:
    """How far answers are kept from this machine, and what each rung of the ladder was seen to do."""
    from ..judge import zygotes

    level = zygotes.isolation()
    if level == LEVELS[0]:
        return {"isolation": f"{level}: no answer runs here"}
    from ..isolation.linux.ladder import proved

    status = zygotes.get().status
    rungs = {f"  {rung}": f"on: {proved(rung)}" if status[rung] == "on" else status[rung] for rung in RUNGS}
    return {"isolation": in_words([level]), **rungs}


def _anonymous(text: str) -> str:
    """A text whose paths are cut down to their last name."""
    return re.sub(r"(?:[A-Za-z]:)?(?:[/\\][^\s/\\:'\"]+)+[/\\]", "…/", text)
