"""doctor(): what works here, fit to be pasted into a question."""

import json
import subprocess

import pytest

from grader import doctor, environment
from grader.isolation import LEVELS, RUNGS
from grader.notebook.doctor import healthy, report


@pytest.fixture(scope="module")
def found():
    return report()


@pytest.mark.whole
def test_everything_that_a_question_needs_is_in_it(found):
    """Versions, device, mode, order of imports, each feature, the workers, how far answers are kept apart."""
    features = ["known answer", "guard", "poison", "ledger", "order", "speed", "bf16", "batch"]
    workers = ["interpreted worker", "compiled worker"]
    assert ["on"] * 10 == [found[what] for what in features + workers]
    assert found["isolation"].partition(";")[0] in LEVELS[1:]
    assert {f"  {rung}" for rung in RUNGS} < found.keys()
    assert {"course", "device", "versions", "mode", "system", "order of imports", "tested"} <= found.keys()
    assert environment.triton() in found["versions"] and healthy(found)


def test_no_path_and_no_user_is_in_it(monkeypatch, capsys):
    """Errors name files; what is shown keeps their last names."""
    failed = "No module named 'torch' (/home/ada/venv/lib/x.py, C:\\Users\\ada\\x.py)"
    monkeypatch.setattr(
        "grader.notebook.doctor._python", lambda *args: subprocess.CompletedProcess(args, 1, "", failed)
    )
    doctor()

    said = capsys.readouterr().out
    assert "ada" not in said and "(…/x.py, …/x.py)" in said
    assert said.count("off: No module named 'torch'") == 3


def test_it_says_whether_this_triton_was_tested(tmp_path, monkeypatch):
    """From the record of make matrix: all of it, what of it, or which others."""
    (tmp_path / "records").mkdir()
    record = tmp_path / "records" / "triton_versions.json"
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr("grader.notebook.doctor._features", dict)
    row = {"triton": environment.triton(), "torch": "2.13.0", "guard": "on"}
    cases = [
        ([row], "with this Triton and torch 2.13.0: all works"),
        ([row | {"guard": "off: why"}], "with this Triton and torch 2.13.0: no guard"),
        ([row | {"triton": "2.0.0"}, row | {"triton": "2.1.0"}], "not with this Triton, but with 2.0.0, 2.1.0"),
    ]
    for rows, sentence in cases:
        record.write_text(json.dumps({"results": rows}))
        assert sentence == report()["tested"]
    record.unlink()
    assert report()["tested"] == "there is no record of it here"


def test_triton_before_grader_is_said(monkeypatch):
    """It is the commonest reason why nothing runs."""
    monkeypatch.setattr(environment, "_triton_was_first", True)

    assert environment.order() == "Triton, then grader"
