"""macOS and Windows: no Triton, no guarded worker. A sentence says where kernels run; what needs PyTorch alone runs."""

import nbformat
import pytest
from conftest import ROOT
from test_notebook import run, said

# Everything that PyTorch and the list of fonts ask the platform for is asked before the platform changes its name.
ELSEWHERE = """
import importlib.metadata, os, platform, sys, urllib.request, torch, matplotlib.font_manager

class NoTriton:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "triton":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

def version(name, known=importlib.metadata.version):
    if name == "triton":
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)

sys.meta_path.insert(0, NoTriton())
importlib.metadata.version = version
sys.platform, platform.system = {platform!r}, lambda: {system!r}
for name in ("resource", "fcntl", "pwd", "grp"):
    sys.modules[name] = None
del os.pidfd_open
"""
WAYS = {"darwin": ("Darwin", "Colab or a dev container"), "win32": ("Windows", "pip install triton-windows")}


def elsewhere(stem, platform):
    """A solved notebook run on that platform: its code cells, without the one that makes the platform."""
    notebook = nbformat.read(ROOT / "solutions" / f"{stem}.ipynb", as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(ELSEWHERE.format(platform=platform, system=WAYS[platform][0])))
    return [c for c in run(notebook, allow_errors=True).cells if c.cell_type == "code"][1:]


def failed(cells):
    return {c.source: said(c) for c in cells if any(o.output_type == "error" for o in c.outputs)}


@pytest.mark.whole
@pytest.mark.parametrize("stem, platform", [("01_five_passes", "darwin"), ("02_bytes_not_flops", "win32")])
def test_lessons_without_kernels_run(stem, platform):
    """Every cell; a check says what it needs."""
    cells = elsewhere(stem, platform)

    assert failed(cells) == {}
    assert WAYS[platform][1] in said(cells[0]) and "mode      PyTorch only" in said(cells[0])
    checks = [said(c) for c in cells if c.source.startswith("check(")]
    assert len(checks) > 2 and all("checks need Linux" in text for text in checks)


@pytest.mark.whole
def test_what_a_lesson_does_with_pytorch_alone_runs_and_kernels_are_a_sentence():
    """No cell ends in a traceback, those that come after a missing kernel included."""
    cells = elsewhere("04_one_row", "darwin")
    sentences = failed(cells)

    assert 3 < len(sentences) < len(cells) / 2
    for source, text in sentences.items():
        assert text.startswith("Not here: Triton has no package for macOS. Colab"), source + text
