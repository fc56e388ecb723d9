"""python -m grader doctor: what works on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys


def add(commands) -> None:
    """Add this command to the parser."""
    commands.add_parser("doctor", help="say what works on this machine").set_defaults(run=run)


def run(options) -> int:
    """Say what works here; exit status 0 when every check can run."""
    from .. import machine, pool

    machine.device()
    # The interpreter's features are only there in an interpreted process.
    code = "import json; from grader import selfcheck; print(json.dumps(selfcheck.run()))"
    environment = os.environ | {"TRITON_INTERPRET": "1", "FIVE_PASSES_WORKER": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=pool.ROOT, env=environment, capture_output=True, text=True)
    try:
        status = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = done.stderr.strip().splitlines()
        status = {"interpreter": f"off: {last[-1] if last else 'it did not start'}"}
    for mode in ("interpreted", "compiled"):
        try:
            pool.zygote(mode).wait()
            status[f"{mode} worker"] = "on"
        except (pool.NoWorker, OSError) as error:
            status[f"{mode} worker"] = f"off: {error}"
    status["g++ for CUDA"] = "on" if machine.has_compiler() else "off: there is no g++, which lesson 12 needs"
    for feature, state in status.items():
        print(f"{feature:<18} {state}")
    return 0 if all(state == "on" for state in status.values()) else 1
