"""Install what make learn needs into .venv, and say first what is fetched, and how much.

    .venv/bin/python tools/install.py requirements-lab.txt
"""

from __future__ import annotations

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

_CPU = "https://download.pytorch.org/whl/cpu"  # PyTorch without CUDA, a tenth of the size
_PIP = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]


def main(requirements: str) -> int:
    """Install; the exit status. pip shows how far it is, file by file."""
    began = time.monotonic()
    wanted = ["-r", requirements, "-c", "constraints.txt", *_cpu_index()]
    print(f"Looking up what {requirements} wants and is not here yet.", flush=True)
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
        f"Fetching {len(names)} packages, {_megabytes(sum(sizes.values()))}, into .venv: {parts}, and smaller ones."
        + (f" The size of {unknown} is not known." if unknown else "")
    ]
    if any(name.lower().startswith("torch ") for name in names):
        cuda = any(name.startswith(("nvidia-", "cuda-")) for name in names)
        gpu = "a GPU of NVIDIA was found" if _gpu() else "no GPU of NVIDIA was found"
        lines.append(f"PyTorch is the one for {'CUDA' if cuda else 'the CPU'}: {gpu}" + (
            f", and {_CPU} cannot be reached." if cuda and not _gpu() and sys.platform == "linux" else "."
        ))  # fmt: skip
    return "\n".join(lines)


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


def _cpu_index() -> list[str]:
    """pip's options that prefer PyTorch for the CPU, where there is no GPU and that address answers."""
    if _gpu() or sys.platform != "linux" or importlib.util.find_spec("torch"):
        return []
    try:
        urllib.request.urlopen(f"{_CPU}/torch/", timeout=5).close()
    except OSError:
        return []
    return ["--extra-index-url", _CPU]


def _failed(said: str) -> int:
    why = [line for line in said.splitlines() if line.startswith("ERROR")][:1]
    todo = "See that the network is on and the disk has room, and give the command again: what was fetched is kept."
    print(*why, f"pip could not install it with Python {sys.version.split()[0]}. {todo}", sep="\n", file=sys.stderr)
    return 2


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    raise SystemExit(main(sys.argv[1]))
