"""The bench of the shipped functions judges its peers before it times them. It needs no GPU to be judged itself."""

import json

import pytest
import torch
from conftest import ROOT

from grader.bench import baselines, functions
from grader.cli import bench

X = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("way", ["forward", "gradient"])
def test_a_peer_is_timed_only_where_it_is_right(way):
    """Not one that is wrong, not one that fails; and what is timed is what the way says."""

    def right(x):
        return torch.softmax(x, 1)

    def wrong(x):
        return torch.softmax(x, 1) * x

    def failing(x):
        raise RuntimeError("no kernel for this")

    timed = functions._timed(right, right, X, way)
    assert timed is not None
    result = timed()
    assert torch.is_tensor(result) if way == "forward" else result[0].shape == X.shape
    assert not X.requires_grad  # the next way has the same one
    assert functions._timed(wrong, right, X, way) is None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(torch.cuda, "synchronize", lambda: None)
        assert functions._timed(failing, right, X, way) is None


def test_a_loss_is_timed_with_its_gradient():
    """Both together, of one number."""
    timed = functions._timed(lambda x: x.exp().sum(), lambda x: x.exp().sum(), X, "both")
    torch.testing.assert_close(timed()[0], X.exp())
    assert functions._timed(lambda x: x.exp().sum(), lambda x: (2 * x).exp().sum(), X, "both") is None


def test_a_library_that_fails_when_imported_is_left_out_by_name():
    """It does not end the run, nor does one that is not there."""
    here = {}

    def absent():
        raise ImportError("no module")

    def failing():
        raise TypeError("another version of its own needs")

    missing = baselines._add_others(here, Absent=absent, Failing=failing, There=lambda: torch.softmax)
    assert missing == ["Absent", "Failing (TypeError when imported)"]
    assert here == {"There": torch.softmax}


def test_the_error_of_a_linear_loss_is_that_of_weight_unless_hidden_is_wrong():
    """As a share of the gradient."""
    want = [torch.full((2, 2), 4.0), torch.full((2, 2), 8.0)]
    assert functions._error([want[0], want[1] + 1], want) == 0.125
    assert functions._error([want[0] + 1, want[1]], want) == float("inf")


def test_a_part_that_is_not_there_is_named(capsys):
    """Nothing is measured."""
    assert bench._functions(["log", "host"], None) == 2
    assert "There is no part log; choose among log_softmax, dims" in capsys.readouterr().err


def test_shares_are_of_what_must_be_moved():
    """softmax reads and writes, a gradient reads two and writes one, a loss reads alone."""
    row = {"microseconds": {"copy": 10.0, "peer": 10.0, "other": None}}
    for way, loss, share in (
        ("forward", False, 1),
        ("gradient", False, 1.5),
        ("forward", True, 0.5),
        ("both", True, 1.5),
    ):
        assert functions.share(row | {"way": way}, "peer", loss) == share
    assert functions.share(row | {"way": "forward"}, "other") is None


def test_the_notes_say_how_far_the_logarithm_is_behind():
    """As the record has it: which matrices, and at most 3 % elsewhere."""
    record = json.loads((ROOT / "records" / "functions_on_h200.json").read_text(encoding="utf-8"))
    said = " ".join((ROOT / "docs" / "notes_on_the_shipped_kernel.md").read_text(encoding="utf-8").split())
    behind: dict[tuple, int] = {}
    for row in record["log_softmax"]:
        times = row["microseconds"]
        behind[row["way"], row["dtype"], *row["shape"]] = round(100 * (times["log_softmax"] / times["softmax"] - 1))
    large = {key: percent for key, percent in behind.items() if percent > 3}

    assert f"has `log_softmax` on {len(behind) // 2} matrices" in said
    gradients = sorted(large[key] for key in large if key[0] == "gradient")
    (forward,) = (key for key in large if key[0] == "forward")
    assert all(key[2:] == (2048, 131072) for key in large if key[0] == "gradient")
    assert f"is {large[forward]} % behind softmax on {forward[1]} {forward[2]}×{forward[3]}, 8 MB" in said
    assert f"and its gradient {gradients[0]} to {gradients[-1]} % on 2048×131072; elsewhere at most 3 %" in said


def test_the_notes_have_the_record_of_the_loss():
    """The shipped one is the fastest in every row; by how much at least, and where it is below 0.9 of the limit."""
    record = json.loads((ROOT / "records" / "shipped_cross_entropy_on_h200.json").read_text(encoding="utf-8"))
    said = " ".join((ROOT / "docs" / "notes_on_the_shipped_kernel.md").read_text(encoding="utf-8").split())
    rows, slow = record["cross_entropy"], {}
    leads = []
    for row in rows:
        times = {name: took for name, took in row["microseconds"].items() if took and name != "copy"}
        ours = times.pop("cross_entropy")
        leads.append(min(times.values()) / ours - 1)
        m, n = row["shape"]
        share = functions.share(row, "cross_entropy", True)
        if round(share, 2) < 0.9 and m * n * (4 if row["dtype"] == "float32" else 2) >= 64e6:
            slow[row["way"], row["dtype"], m, n] = f"{share:.2f}"

    assert f"is the fastest in all {len(rows)} rows, by {100 * min(leads):.0f} % where it is least" in said
    listed = said[said.index("these are below 0.9 of the limit") :].split(" - ")[0]
    assert all(f"{m}×{n}" in listed and share in listed for (_, _, m, n), share in slow.items()), slow


def test_the_notes_have_the_time_of_the_host():
    """From the least to the most, of functions of a tensor and of the loss."""
    record = json.loads((ROOT / "records" / "host_on_h200.json").read_text(encoding="utf-8"))
    said = " ".join((ROOT / "docs" / "notes_on_the_shipped_kernel.md").read_text(encoding="utf-8").split())
    times: dict[str, list[float]] = {}
    for row in record["host"]:
        for name, took in row["microseconds"].items():
            times.setdefault(name, []).append(took["later"])
    span = {name: f"{min(took):.0f} to {max(took):.0f}" for name, took in times.items()}
    alone = times["softmax"] + times["log_softmax"]

    assert f"{min(alone):.0f} to {max(alone):.0f} µs for softmax and its logarithm" in said
    assert f"{span['cross_entropy']} for the mean of cross-entropy" in said
    for name in ("torch", "torch.compile", "Liger", "QuACK"):
        assert f"{'the loss of QuACK' if name == 'QuACK' else name} {span[name]}" in said


def test_the_notes_have_the_record_of_the_linear_loss():
    """ms and MB of each peer, and the errors of two."""
    record = json.loads((ROOT / "records" / "linear_cross_entropy_on_h200.json").read_text(encoding="utf-8"))
    notes = (ROOT / "docs" / "notes_on_the_shipped_kernel.md").read_text(encoding="utf-8")
    for row in record["linear_cross_entropy"]:
        cells = (f"{took / 1000:.1f}, {row['bytes'][name] >> 20}" for name, took in row["microseconds"].items())
        assert f"| {'×'.join(map(str, row['shape']))} | {' | '.join(cells)} |" in notes
    errors = record["linear_cross_entropy"][1]["errors"]
    said = " ".join(notes.split())
    assert f"an error of {errors['linear_cross_entropy']:.4f} of its norm" in said
    assert f"{errors['torch']:.4f}" == f"{errors['linear_cross_entropy']:.4f}"
    assert f"rounded once a chunk, has {errors['Liger']:.4f}" in said
