"""Recorded profiles: lesson 17 shows what it is judged by, counts are those of the engine, and pages are read right."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import importlib
import json
import random
import sys

import pytest
import torch
from conftest import ROOT
from traced import column_kernel

from grader import interpreter
from grader.interpreter.sectors import SectorCounter
from grader.lessons import lesson_17
from grader.reference import profiles

interpreter.install()
RECORD = json.loads((ROOT / "records" / "profiles_on_h200.json").read_text(encoding="utf-8"))


@pytest.fixture
def recorder(monkeypatch):
    """The module that makes the record, without the course's kernels, which need a compiler."""
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "record"))
    monkeypatch.delitem(sys.modules, "profiles", raising=False)
    return importlib.import_module("profiles")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64, torch.int8])
def test_a_request_touches_the_sectors_that_the_interpreter_counts(dtype):
    """Drawn places, lanes and strides."""
    rng, size = random.Random(5), dtype.itemsize
    for _ in range(12):
        first, lanes, stride = rng.randrange(40), rng.randint(1, 32), rng.randrange(20)
        counter = SectorCounter()
        with interpreter.recording(recorder=counter):
            column_kernel[(1,)](torch.zeros(1024, dtype=dtype)[first:], lanes, stride, ROWS=32)
        (load,) = [entry for entry in counter.requests if entry.op == "load"]

        assert load.sectors == profiles.request_sectors(first * size, lanes, stride, size)


def test_the_lesson_shows_what_it_is_judged_by():
    """The numbers beside the judge are those of the record, but for the launch with two limits."""
    shown = {(each["kernel"], each["m"], each["n"]): each["report"] for each in RECORD["launches"]}
    judged = {(each.kernel, each.m, each.n): each.report for each in profiles.profiles()}

    assert judged == {key: report for key, report in shown.items() if key != profiles.LEFT_OUT}
    assert len(shown) == 24 and {each.kernel for each in profiles.profiles() if each.shown} == set(profiles.OF)
    for limit, kernel in profiles.PAGES.items():
        assert profiles.page(limit) == RECORD["kernels"][kernel]["lines"]


def test_each_line_of_a_page_is_the_line_of_its_kernel():
    for kernel in RECORD["kernels"].values():
        for row in kernel["lines"] or ():
            assert row["text"] == kernel["source"].split("\n")[row["line"] - 1]


def test_the_lines_of_a_page_add_up_to_the_counters_of_its_report():
    """Sectors, ideal ones, and wavefronts."""
    first = {}
    for launch in RECORD["launches"]:
        first.setdefault(launch["kernel"], launch["report"])
    columns = {
        profiles.GLOBAL: profiles.SECTORS, profiles.GLOBAL_IDEAL: f"{profiles.SECTORS}_ideal",
        profiles.SHARED: profiles.WAVEFRONTS, profiles.SHARED_IDEAL: f"{profiles.WAVEFRONTS}_ideal",
        profiles.LOCAL: "memory_l2_theoretical_sectors_local", profiles.EXECUTED: "smsp__inst_executed.sum",
    }  # fmt: skip
    for name, kernel in RECORD["kernels"].items():
        for column, metric in columns.items() if kernel["lines"] else ():
            assert sum(row[column] for row in kernel["lines"]) == pytest.approx(first[name][metric], rel=1e-3), name


def test_a_drawn_report_keeps_the_limit_of_its_launch():
    """What tells the limits apart lies far apart in all drawn reports, and counts alone tell nothing."""
    few, many, little, much = [], [], [], []
    for seed in range(100):
        rng = random.Random(seed)
        for profile in profiles.profiles():
            _, report = profiles.many_times(profile, rng)
            limit, over = profiles.OF[profile.kernel], report[profiles.SECTORS] / report[f"{profiles.SECTORS}_ideal"]
            assert (report[profiles.SPILLED] > 0) == (limit == profiles.SPILLS)
            assert (report[profiles.DRAM] > 65) == (limit in (profiles.COPY, profiles.TWICE, profiles.SPILLS))
            assert over < 1.3 or (over > 7 and limit == profiles.UNCOALESCED)
            (few if limit == profiles.FEW else many).append((report[profiles.WARPS], limit))
            excess = report[f"derived__{profiles.SECTORS}_excessive"]
            {"odd_rows": much, "columns": little}.get(profile.kernel, []).append(excess)
    assert max(few)[0] < 7 < 11 < min(many)[0] and max(much) > max(little)


def test_the_lines_that_mislead_are_others():
    """On a drawn page: samples, totals and ratios lead elsewhere than the excess."""
    for seed in range(50):
        for limit, (counted, ideal) in profiles.COLUMNS.items():
            page = profiles.drawn_page(limit, random.Random(seed), plain=False)
            (guilty,) = profiles.culprits(page, limit)
            leads = [max(page, key=lambda row: row[profiles.SAMPLES])]
            if ideal:
                leads += [
                    max(page, key=lambda row: row[counted]),
                    max(page, key=lambda row: row[counted] / max(1, row[ideal])),
                ]
            assert guilty not in [row["line"] for row in leads]


def test_a_launch_at_the_limit_has_nothing_to_win():
    """Half of the headroom cases of such kernels are faster than the copy."""
    wants = [case.facts["want"] for case in lesson_17._headroom_cases(3)]

    assert wants.count(1.0) == 3 and min(want for want in wants if want != 1.0) > 1.1


def test_units_become_base_units(recorder, tmp_path):
    """Bytes, nanoseconds and counts, whatever unit an export has; commas between thousands are none."""
    names = ["Kernel Name", "device__attribute_display_name", *recorder.METRICS]
    units = {name: "" for name in names} | {"gpu__time_duration.sum": "us", "dram__bytes_read.sum": "Mbyte"}
    values = dict.fromkeys(names, "1,024") | {"gpu__time_duration.sum": "1.5", "dram__bytes_read.sum": "2.25"}
    rows = [[f'"{row[name]}"' for name in names] for row in ({name: name for name in names}, units, values)]
    (tmp_path / "raw.csv").write_text("\n".join(map(",".join, rows)) + "\n")

    _, (report,) = recorder.numbers(tmp_path / "raw.csv")

    assert (report["gpu__time_duration.sum"], report["dram__bytes_read.sum"]) == (1500, 2_250_000)
    assert report["launch__grid_size"] == 1024


def test_another_machine_code_than_the_reports_is_refused(recorder):
    """Branch targets and hints may differ, instructions may not."""
    page = [{"Source": "  LDG.E R2, [R4.64]", "# Samples": "3"}, {"Source": "@P0 BRA 0x7f0123456780"}]
    placed = [(1, "LDG.E R2, [R4.64.reuse]"), (2, "@P0 BRA `(.L_x_1)")]

    (first, second) = recorder.lines(page, "load\nbranch", placed)

    assert (first["text"], first["# Samples"], second["line"]) == ("load", 3, 2)
    with pytest.raises(SystemExit, match="other instructions"):
        recorder.lines(page, "load\nbranch", [(1, "STG.E [R4.64], R2"), placed[1]])
