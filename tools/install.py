"""Install what the course, or a part of it, needs, and say first what is fetched, and how much.

    .venv/bin/python tools/install.py                the packages of learners
    .venv/bin/python tools/install.py grading dev    the same, and what grading and the tests need besides
    python tools/install.py --cpu grading            what a machine that grades needs, GPU or not

Parts are the optional dependencies and the dependency groups of pyproject.toml, constraints.txt has the versions with
which the course was tested. Where there is no GPU, PyTorch is the one for the CPU, a tenth of the size, if it can be
had; with --cpu it is that one or none.
"""

from __future__ import annotations

import concurrent.futures
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALONE = {"nbgrader"}  # parts for an environment beside the course's, which has the packages of learners already
_CPU = "https://download.pytorch.org/whl/cpu"
_PIP = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]


def requirements(parts: list[str]) -> list[str]:
    """What these parts need, as pip takes it. Raises SystemExit for a part that pyproject.toml does not have."""
    stored = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    known = stored["project"]["optional-dependencies"] | stored["dependency-groups"]
    if unknown := set(parts) - known.keys():
        raise SystemExit(f"There is no part {' or '.join(sorted(unknown))}; choose among {', '.join(known)}.")
    wanted = [] if set(parts) & ALONE else list(stored["project"]["dependencies"])
    return list(dict.fromkeys([*wanted, *(each for part in parts for each in known[part])]))


def main(arguments: list[str]) -> int:
    """Install; the exit status. pip shows how far it is, file by file."""
    began = time.monotonic()
    cpu, parts = "--cpu" in arguments, [each for each in arguments if each != "--cpu"]
    index = ["--extra-index-url", _CPU] if cpu or _prefers_cpu() else []
    wanted = [*requirements(parts), "-c", str(ROOT / "constraints.txt"), *index]
    print(f"Looking up what {' and '.join(parts) or 'the course'} needs and is not here yet.", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        dry = [*_PIP, "--quiet", "--dry-run", "--report", str(report), *wanted]
        found = subprocess.run(dry, stderr=subprocess.PIPE)
        if found.returncode:
            return _failed(found.stderr.decode(errors="replace"))
        missing = json.loads(report.read_text(encoding="utf-8"))["install"]
    if not missing:
        print("Everything is here.")
        return 0
    print(_summary(missing), flush=True)
    if cpu and _for_cuda(missing):
        return _failed(f"ERROR: PyTorch for the CPU is not to be had from {_CPU}, and --cpu takes no other.")
    # Only what is imported will be compiled: pip would compile all of it.
    if subprocess.run([*_PIP, "--no-compile", *wanted]).returncode:
        return _failed("")
    print(f"Installed in {time.monotonic() - began:.0f} s. The next start skips this.", flush=True)
    return 0


def _summary(missing: list[dict]) -> str:
    """What is fetched and how much, the largest by name, and whether PyTorch is for the CPU or for CUDA."""
    names = [f"{each['metadata']['name']} {each['metadata']['version']}" for each in missing]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        sizes = dict(zip(names, pool.map(_size, [each["download_info"]["url"] for each in missing])))
    largest = sorted(sizes, key=sizes.get, reverse=True)[:3]
    parts = ", ".join(f"{name} with {_megabytes(sizes[name])}" for name in largest)
    unknown = sum(size == 0 for size in sizes.values())
    lines = [
        f"Fetching {len(names)} packages, {_megabytes(sum(sizes.values()))}: {parts}, and smaller ones."
        + (f" The size of {unknown} is not known." if unknown else "")
    ]
    if any(name.lower().startswith("torch ") for name in names):
        cuda = _for_cuda(missing)
        gpu = "a GPU of NVIDIA was found" if _gpu() else "no GPU of NVIDIA was found"
        lines.append(f"PyTorch is the one for {'CUDA' if cuda else 'the CPU'}: {gpu}" + (
            f", and {_CPU} cannot be reached." if cuda and not _gpu() and sys.platform == "linux" else "."
        ))  # fmt: skip
    return "\n".join(lines)


def _for_cuda(missing: list[dict]) -> bool:
    """Whether PyTorch for CUDA is among these packages: it alone brings NVIDIA's libraries."""
    return any(each["metadata"]["name"].startswith(("nvidia-", "cuda-")) for each in missing)


def _size(url: str) -> int:
    """Bytes of the file at an address, 0 if nobody says."""
    try:
        request = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(request, timeout=10) as reply:
            return int(reply.headers.get("Content-Length", 0))
    except (OSError, ValueError):
        return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def _gpu() -> bool:
    return shutil.which("nvidia-smi") is not None


def _prefers_cpu() -> bool:
    """Whether to ask for PyTorch for the CPU: there is no GPU, and the address that has it answers."""
    if _gpu() or sys.platform != "linux" or importlib.util.find_spec("torch"):
        return False
    try:
        urllib.request.urlopen(f"{_CPU}/torch/", timeout=5).close()
    except OSError:
        return False
    return True


def _failed(said: str) -> int:
    why = [line for line in said.splitlines() if line.startswith("ERROR")][:1]
    todo = "See that the network is on and the disk has room, and give the command again: what was fetched is kept."
    print(*why, f"pip could not install it with Python {sys.version.split()[0]}. {todo}", sep="\n", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
