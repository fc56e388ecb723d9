"""make matrix: the interpreter's contract, every lesson, and the names of errors, with every Triton that people have.

records/triton_versions.json keeps what works where; doctor() says whether the version at hand is among them.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # as a script it finds what tests share

from conftest import ROOT, stored  # noqa: E402

from grader.mistakes.errors import TRANSLATED  # noqa: E402

RECORD = ROOT / "records" / "triton_versions.json"
VERSIONS = ("3.4.0", "3.6.0", "3.9.0", "newest")
CONTRACT = [
    f"tests/test_{name}.py"
    for name in (
        "interpreter triton_private quick batch trace beside compiler machine_code assembled barrier_intervals"
    ).split()
]
# Wrong answers whose mistake is recognised by the message of Triton, PyTorch or Python: messages change with versions.
MESSAGES = [
    f"tests/test_answers.py::test_a_wrong_answer_is_refused_and_named[{kept.name}]"
    for kept in stored("wrong")
    if kept.mistake in TRANSLATED
]
NBVAL = "--nbval --nbval-current-env --nbval-cell-timeout=120 --nbval-sanitize-with tools/nbval.cfg --dist loadfile"
FACTS = """
import importlib.metadata, json, torch, triton
from grader.interpreter import selfcheck
print(json.dumps({"triton": triton.__version__, "torch": torch.__version__.partition("+")[0]} | selfcheck.run()))
"""


def install(version: str) -> dict[str, str]:
    """Fetch this Triton into a folder of its own; the environment in which Python finds it first."""
    folder = ROOT / f".env-triton-{version}"
    wanted = "triton" if version == "newest" else f"triton=={version}"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--upgrade"]
    subprocess.run([*pip, "--target", str(folder), wanted], check=True)
    return os.environ | {"PYTHONPATH": str(folder), "FIVE_PASSES_PROGRESS": "off"}


def facts(environment: dict[str, str]) -> dict[str, str]:
    """Versions, and the features of the interpreter: {what: "on" or why not}."""
    environment = environment | {"TRITON_INTERPRET": "1", "FIVE_PASSES_WORKER": "1"}
    done = subprocess.run([sys.executable, "-c", FACTS], cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def tested(environment: dict[str, str]) -> dict[str, str]:
    """Whether the contract holds, errors are named, and every lesson prints what it prints in solutions/."""
    groups = {"contract": CONTRACT, "names of errors": MESSAGES, "all lessons": [*NBVAL.split(), "solutions"]}
    found = {}
    for name, tests in groups.items():
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-rs", "-n", "2", *tests], cwd=ROOT, env=environment
        )
        found[name] = "on" if done.returncode == 0 else "off: its tests fail"
    return found


def main(versions: list[str]) -> int:
    """Run the versions, show them side by side, and keep them if they are all. 1 when anything is off."""
    found = {}
    for version in versions or VERSIONS:
        print(f"Triton {version}", flush=True)
        environment = install(version)
        row = facts(environment)
        if row["triton"] not in found:  # the newest may be one of the others
            found[row["triton"]] = row | tested(environment)
    columns = list(dict.fromkeys(key for row in found.values() for key in row))
    print(" | ".join(columns))
    for row in found.values():
        print(" | ".join(f"{row.get(column, 'off'):<{len(column)}}" for column in columns))
    if not versions:
        RECORD.write_text(json.dumps({"command": "make matrix", "results": list(found.values())}, indent=1) + "\n")
    bad = [value for row in found.values() for value in row.values() if not re.fullmatch(r"on|[\d.]+", value)]
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
