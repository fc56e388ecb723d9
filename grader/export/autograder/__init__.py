"""The zip file from which Gradescope builds an autograder: what grades a class, setup.sh and run_autograder."""

from __future__ import annotations

import pathlib
import zipfile

from ...environment import ROOT

_HERE = pathlib.Path(__file__).parent
_SCRIPTS = ("setup.sh", "run_autograder")
_LIST = ".dockerignore"  # Docker reads a list at this place alone, so the others read it there too


def files(root: pathlib.Path = ROOT) -> dict[str, pathlib.Path]:
    """{name: file} of all that a copy needs to grade a class. Raises OSError where there is no list."""
    lines = (root / _LIST).read_text(encoding="utf-8").splitlines()
    found = {}
    for path in (root / line[1:] for line in lines if line.startswith("!")):
        inside = sorted(each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
        found |= {each.relative_to(root).as_posix(): each for each in (inside if path.is_dir() else [path])}
    return found


def build(to: pathlib.Path | str) -> pathlib.Path:
    """Write the zip file and return its path. Equal files give equal bytes. Raises OSError."""
    scripts = {name: _HERE / name for name in _SCRIPTS}
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in (scripts | files()).items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100755 if name in _SCRIPTS else 0o100644) << 16
            archive.writestr(member, path.read_bytes())
    return pathlib.Path(to)
