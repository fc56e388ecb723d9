"""trace where kernels are compiled: the text runs interpreted elsewhere, and what comes back is looked at."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pathlib

import attending
import pytest
import torch
import traced
from traced import copied, copy_kernel, unmasked_kernel

import grader
from grader import draw, environment, interpreter
from grader.interpreter import KernelMisuse
from grader.judge import zygotes
from grader.notebook import history
from grader.protocol import schema
from grader.spec import Call, Panel

interpreter.install()
SOURCE = pathlib.Path(traced.__file__).read_text()


def blank(*shape):
    return torch.full(shape, float("nan"))


@pytest.fixture
def trace(capsys):
    """trace, and the lines it prints."""

    def run(*args, **kwargs):
        grader.trace(*args, **kwargs)
        return capsys.readouterr().out.splitlines()

    return run


@pytest.fixture
def compiled(monkeypatch):
    """As where a GPU is present: kernels of this process cannot be watched, and a worker runs their text."""
    monkeypatch.setattr(environment, "interpreted", lambda: False)
    monkeypatch.setattr(history, "session_cells", lambda: [SOURCE])


def test_where_kernels_are_compiled_a_worker_tells_the_same(trace, compiled, monkeypatch):
    """Tables alike, tensors given by keyword too, and what was stored comes back."""
    there, y = {}, blank(20)
    there["kernel"] = trace(copy_kernel, y_ptr=y, x_ptr=torch.ones(20), n=20, BLOCK=8, num_warps=2, grid=lambda m: (3,))
    there["function"] = trace(copied, torch.ones(7))
    there["stopped"] = trace(unmasked_kernel, blank(2, 5), torch.ones(2, 5), 5, 5, BLOCK=8, grid=(2,), order="reversed")
    assert torch.equal(torch.ones(20), y)
    monkeypatch.undo()

    assert there["kernel"] == trace(copy_kernel, blank(20), torch.ones(20), 20, BLOCK=8, grid=(3,))
    assert there["function"] == trace(copied, torch.ones(7))
    assert there["stopped"] == (
        trace(unmasked_kernel, blank(2, 5), torch.ones(2, 5), 5, 5, BLOCK=8, grid=(2,), order="reversed")
    )


def test_where_kernels_are_compiled_the_tiles_of_attention_are_the_same(monkeypatch):
    """The weights come back from a worker too."""
    small = [torch.randn(4, 4, generator=torch.Generator().manual_seed(n)) for n in range(3)]
    expected = draw.attention_tiles(attending.attention, *small, True, 2)
    monkeypatch.setattr(environment, "interpreted", lambda: False)
    monkeypatch.setattr(history, "session_cells", lambda: [pathlib.Path(attending.__file__).read_text()])
    found = draw.attention_tiles(attending.attention, *small, True, 2)

    assert repr(expected) == repr(found) and expected.page == found.page
    assert "Program 0, queries 0-1: keys 0-1 partial (1); keys 2-3 skipped." in repr(found)


def test_where_kernels_are_compiled_errors_are_sentences_too(compiled):
    """A function no cell defines, a launch that does not fit, a call that fails."""
    with pytest.raises(KernelMisuse, match="no cell that has run defines it"):
        grader.trace(lambda x: x, blank(1))
    with pytest.raises(KernelMisuse, match="missing 1 required"):
        grader.trace(copy_kernel, blank(4), blank(4), BLOCK=4, grid=(1,))
    with pytest.raises(RuntimeError, match="copied does not run"):
        grader.trace(copied, 3)


@pytest.mark.parametrize("field, value", [
    ("touched", [[1, 2, 3]]), ("touched", 3), ("shape", []), ("grid", "x"), ("lanes", float("inf")),
    ("masked", [["a"] * 4]),
])  # fmt: skip
def test_a_forged_panel_ends_the_answer(field, value):
    """What comes from a worker is looked at before it is believed."""
    with zygotes.get().open(SOURCE, 10) as session:
        sent = vars(session.run(Call("call", "copied", (torch.ones(7),), trace=True)).panels[0])

    assert sent == vars(schema.unpack(sent | {"extra": 1}, Panel))
    with pytest.raises(ValueError):
        schema.unpack(sent | {field: value}, Panel)
