"""Profile the kernels of profiled.py with Nsight Compute, and keep what lesson 17 reads of the reports.

    python tools/record/profiles.py FOLDER --nvrtc libnvrtc.so.13

FOLDER gets what ncu exports: details.txt, raw.csv and source.csv. If they lie there already, nothing is profiled, and
no GPU is needed. The exported page of machine code has no lines of the source. So each kernel is compiled once more,
and its instructions must be those of the report; Triton has to be of the version that was profiled.

It writes records/profiles_on_h200.json, and of it grader/reference/profiles.json, by which lesson 17 is judged.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import datetime
import inspect
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

import course  # puts the course on the path
import profiled
import torch
import triton

from grader import machine_code
from grader.compiler import sass

PROFILE = (
    "ncu --set full --import-source yes --profile-from-start off --clock-control none -f -o p "
    "python tools/record/profiled.py"
)
EXPORTS = {"details.txt": "--page details", "raw.csv": "--page raw --csv", "source.csv": "--page source --csv"}
WHAT = (
    "Reports of Nsight Compute on eight kernels of the course: float32 matrices of M×N, one launch each, after one "
    "that was not profiled, with a clock that nobody fixed. Numbers of the raw page in base units. Of the first launch "
    "of each kernel also the details page, and the source page by lines of the kernel: its instructions are those of "
    "the same kernel compiled once more, which tells the lines. All kernels are called kernel; the shipped ones had "
    "other names."
)
# What is kept of the raw page. They stand in this order in the lesson.
METRICS = (
    "gpu__time_duration.sum",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "launch__grid_size",
    "launch__block_size",
    "launch__registers_per_thread",
    "smsp__inst_executed.sum",
    "sass__inst_executed_register_spilling",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "derived__memory_l2_theoretical_sectors_global_excessive",
    "memory_l2_theoretical_sectors_local",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "derived__memory_l1_wavefronts_shared_excessive",
)
# Columns of the source page, as ncu names them.
COLUMNS = (
    "# Samples",
    "Instructions Executed",
    "L2 Theoretical Sectors Global",
    "L2 Theoretical Sectors Global Ideal",
    "L2 Theoretical Sectors Local",
    "L1 Wavefronts Shared",
    "L1 Wavefronts Shared Ideal",
)
_BASE = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "m": 1e-3, "u": 1e-6, "n": 1e-9}


def exported(folder: pathlib.Path) -> None:
    """Profile, and export the three pages."""
    subprocess.run(PROFILE.replace("-o p", f"-o {folder / 'p'}").split(), check=True, cwd=course.ROOT)
    for name, page in EXPORTS.items():
        with (folder / name).open("w") as file:
            subprocess.run(["ncu", "-i", folder / "p.ncu-rep", *page.split()], check=True, stdout=file)


def launches() -> list[tuple[str, int, int]]:
    """(kernel, rows, columns) of each report, in their order."""
    return [(name, m, n) for name, shapes in profiled.LAUNCHES.items() for m, n in shapes]


def numbers(path: pathlib.Path) -> tuple[str, list[dict[str, float]]]:
    """(the device, {metric: number in a base unit} for each report). Times are in nanoseconds."""
    with path.open(newline="") as file:
        names, units, *rows = csv.reader(file)
    places = {name: names.index(name) for name in METRICS}
    reports = [{name: _number(row[i], name, units[i]) for name, i in places.items()} for row in rows]
    return rows[0][names.index("device__attribute_display_name")], reports


def _number(text: str, name: str, unit: str) -> float:
    value = float(text.replace(",", ""))
    if found := re.fullmatch(r"([kKMGTmun]?)(byte|s)", unit):
        value *= _BASE[found[1].replace("K", "k")] * (1e9 if found[2] == "s" else 1)
    return round(value, 2) if "pct" in name else round(value)


def details(path: pathlib.Path) -> list[str]:
    """The text of each report."""
    texts = re.split(r"^  (?=\w+ \(\d+, \d+, \d+\)x)", path.read_text(), flags=re.MULTILINE)[1:]
    without = (re.sub(r"^\w+ (\(.*?\)x\(.*?\)), .*", r"kernel \1", text, count=1) for text in texts)
    return ["\n".join(line.rstrip() for line in text.splitlines()).rstrip() for text in without]


def pages(path: pathlib.Path) -> list[list[dict[str, str]]]:
    """The instructions of each report: {column: its text}."""
    found: list[list[dict[str, str]]] = []
    with path.open(newline="") as file:
        for row in csv.reader(file):
            if row[:1] == ["Kernel Name"]:
                found.append([])
            elif row[:1] == ["Address"]:
                head = row
            elif row:
                found[-1].append(dict(zip(head, row)))
    return found


def source_of(name: str, m: int, n: int, nvrtc: str) -> tuple[str, list[tuple[int, str]]]:
    """(the text of a kernel, (line of it, instruction) for all of its machine code)."""
    if name == "conflicts":
        return profiled.NEIGHBOURS.strip("\n"), _placed(_of_cuda(nvrtc))
    kernel, call = profiled.TRITON[name]()
    x = torch.empty(m, n, device="meta")
    fake = _Pointed(x)
    grid, args, constants = call(fake, fake)
    made = machine_code(kernel, *args, gpu="H100", grid=grid, **constants)
    text = textwrap.dedent(inspect.getsource(kernel.fn)).rstrip()
    decorators = text.split("\n").index(next(line for line in text.split("\n") if line.startswith("def ")))
    return text, [(line and line + decorators, code) for line, code in _placed(made.columns[0].assembly)]


class _Pointed(torch.Tensor):
    """A tensor without memory, at an address that 16 divides."""

    def __new__(cls, x):
        """One of the shape of x."""
        return torch.Tensor._make_subclass(cls, x)

    def data_ptr(self) -> int:
        """An address as a GPU allocates it."""
        return 1 << 32


def _placed(assembly: str) -> list[tuple[int, str]]:
    """(line of the kernel, instruction) of an assembly text with places; of inlined functions, the line of the call."""
    found, line = [], 0
    for text in assembly.split("\n"):
        if "//## File" in text:
            if places := re.findall(r'File "(?:<kernel .*?>|.*?\.cu)", line (\d+)', text):
                line = int(places[-1])
        elif instruction := re.match(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", text):
            found.append((line, instruction[1]))
    return found


def _of_cuda(nvrtc: str) -> str:
    """The assembly of the CUDA kernel, as CuPy compiles it."""
    library, program, size = ctypes.CDLL(nvrtc), ctypes.c_void_p(), ctypes.c_size_t()
    source = (profiled.CUDA_PRELUDE + profiled.NEIGHBOURS.lstrip("\n")).encode()
    options = [b"--std=c++17", b"-lineinfo", b"-arch=sm_90", b"-ftz=true"]
    library.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None)
    if library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)):
        sys.exit("NVRTC does not compile the kernel")
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    library.nvrtcGetCUBIN(program, code)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code.raw)
        file.flush()
        return sass.disassembled(pathlib.Path(file.name))


def _alike(instruction: str) -> str:
    """An instruction without addresses and without hints for the register cache, which ncu does not show."""
    text = re.sub(r"`\(\.L[^)]*\)|\b0x7f[0-9a-f]{10}\b", "there", instruction.replace(".reuse", ""))
    return " ".join(text.split())


def lines(page: list[dict[str, str]], source: str, placed: list[tuple[int, str]]) -> list[dict]:
    """The numbers of a source page by lines of the kernel. Raises SystemExit if the instructions are others."""
    reported = [_alike(row["Source"]) for row in page]
    compiled = [_alike(text) for _, text in placed]
    compiled += ["NOP"] * (len(reported) - len(compiled))
    if reported != compiled:
        sys.exit(f"other instructions than in the report: is Triton {triton.__version__} the profiled one?")
    texts, found = source.split("\n"), {}
    for row, (line, _) in zip(page, placed):
        if line:
            entry = found.setdefault(line, dict.fromkeys(COLUMNS, 0))
            for column in COLUMNS:
                entry[column] += int(row.get(column, "0") or 0)
    return [{"line": line, "text": texts[line - 1], **found[line]} for line in sorted(found)]


def main() -> None:
    """Read the arguments and write both files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--nvrtc", required=True, help="path of NVRTC, which compiles the CUDA kernel")
    arguments = parser.parse_args()
    folder = arguments.folder
    if not (folder / "raw.csv").exists():
        exported(folder)
    device, reports = numbers(folder / "raw.csv")
    texts, instructions = details(folder / "details.txt"), pages(folder / "source.csv")
    found, kernels = [], {}
    for (name, m, n), report, text, page in zip(launches(), reports, texts, instructions, strict=True):
        found.append({"kernel": name, "m": m, "n": n, "report": report})
        if name in kernels:
            continue
        kernels[name] = {"source": None, "lines": None, "details": text}
        if name != "shipped":  # that one is several kernels of a package
            source, placed = source_of(name, m, n, arguments.nvrtc)
            kernels[name] |= {"source": source, "lines": lines(page, source, placed)}
    record = {
        "device": device,
        "versions": {"Nsight Compute": "2025.3", "torch": "2.11", "triton": "3.6"},
        "date": datetime.date.fromtimestamp((folder / "raw.csv").stat().st_mtime).isoformat(),
        "command": PROFILE,
        "what": WHAT,
        "launches": found,
        "kernels": kernels,
    }
    _write(course.ROOT / "records" / "profiles_on_h200.json", json.dumps(record, ensure_ascii=False, indent=1))
    judged = {
        "launches": [[each["kernel"], each["m"], each["n"], each["report"]] for each in found],
        "pages": {name: kernels[name]["lines"] for name in ("columns", "conflicts", "spilled")},
    }
    _write(course.ROOT / "grader" / "reference" / "profiles.json", json.dumps(judged).replace("}], [", "}],\n["))


def _write(path: pathlib.Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
