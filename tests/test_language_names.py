"""The page of Triton's names says what becomes of each in a check."""

import importlib

import language_names
import pytest
import triton
import triton.language as tl
from conftest import ROOT

PAGE = (ROOT / "docs" / "triton_names.md").read_text(encoding="utf-8")
LISTS = language_names.kept(PAGE)
# The lists are those of one version, and the course runs with others too.
OTHER = LISTS["version"] != f"Triton {triton.__version__}"
pytestmark = pytest.mark.skipif(OTHER, reason="the page has another Triton")


def listed(*kinds):
    return [name for kind in kinds for name in LISTS.get(kind, "").split()]


def test_each_name_stands_in_one_list():
    """Those of triton.language, and those of NVIDIA's libdevice."""
    own = listed("runs", "a GPU alone", "some GPUs", "removed", "types")
    library = listed("libdevice, runs", "libdevice, a symbol of a GPU")
    of_tl = [name for name in own if not name.startswith("cuda.")]
    cuda = importlib.import_module("triton.language.extra.cuda")

    assert sorted(tl.__all__) == sorted(of_tl)
    assert [*library] == [*dict.fromkeys(library)] and len(library) > 190
    assert sorted(f"cuda.{name}" for name in cuda.__all__ if name != "libdevice") == sorted({*own} - {*of_tl})
    assert {*dir(tl.math)} & {*tl.__all__} <= {*of_tl}


@pytest.mark.parametrize(
    "some", [pytest.param(False, id="some"), pytest.param(True, id="all", marks=pytest.mark.whole)]
)
def test_the_lists_are_what_a_check_says(some):
    """make test takes a few names, and make whole all of them."""
    rows = language_names.rows()
    if not some:
        rows = [row for n, row in enumerate(rows) if n % 16 == 0 or row[0] in ("condition", "tensor_descriptor")]
    for found in language_names.outcomes(rows):
        _, of_library, name = found.name.rpartition("libdevice.")
        assert name in listed("libdevice, " * bool(of_library) + language_names.kind(found)), found
