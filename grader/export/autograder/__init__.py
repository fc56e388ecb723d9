"""The zip file from which Gradescope builds an autograder: this grader, setup.sh and run_autograder."""

from __future__ import annotations

import pathlib
import zipfile

from ...environment import ROOT

_HERE = pathlib.Path(__file__).parent
_SCRIPTS = ("setup.sh", "run_autograder")
_OTHERS = ("pyproject.toml", "constraints.txt", "tools/install.py")


def build(to: pathlib.Path | str) -> pathlib.Path:
    """Write the zip file and return its path. Equal files give equal bytes. Raises OSError."""
    files = {name: _HERE / name for name in _SCRIPTS}
    files |= {name: ROOT / name for name in _OTHERS}
    for path in sorted((ROOT / "grader").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            files[path.relative_to(ROOT).as_posix()] = path
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100755 if name in _SCRIPTS else 0o100644) << 16
            archive.writestr(member, path.read_bytes())
    return pathlib.Path(to)
