"""Which file of whom counts: small classes as nine platforms and people hand them out. Nothing is graded here."""

import json
import re
import shutil
import zipfile

import nbformat
import pytest
from conftest import ROOT
from test_classroom import Graders

from grader.__main__ import main
from grader.classroom import assignment, contents, file_names, grading, plan, submissions
from grader.classroom.roster import Roster, of_tables
from grader.lessons import blank

BLANK = (ROOT / "notebooks" / "00_check_your_bench.ipynb").read_text(encoding="utf-8")
BLANK_04 = (ROOT / "notebooks" / "04_one_row.ipynb").read_text(encoding="utf-8")
TWIN = (ROOT / "notebooks" / "zh" / "00_check_your_bench.ipynb").read_text(encoding="utf-8")
SOLUTION = (ROOT / "solutions" / "00_check_your_bench.ipynb").read_text(encoding="utf-8")
NAME = "00_check_your_bench.ipynb"
STUB = 'raise NotImplementedError(\\"TODO 0.1\\")'


def work(answer="2 * x", of=BLANK):
    """A notebook of lesson 00 with an answer."""
    assert STUB in of
    return of.replace(STUB, f"return {answer}")


def one_row(answer):
    """A notebook of lesson 04 with one of its answers."""
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(f"def block_size(n): {answer}")]))


ADA, BOB, CYD = work("x + x"), work("x * 2"), work("x / 0.5")


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def pack(path, files):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in files.items():
            z.writestr(name, text)
    return path


def planned(*paths, contents_of=None, roster=None, **more):
    found = submissions.find_all(list(paths), people=roster.names if roster else ())
    found.files = grading.distinct(found.files)

    def read(files):
        for file in files:
            try:
                yield contents.of(file.load(), file.name)
            except OSError as error:
                yield contents.Contents(problems=(str(error),))

    if contents_of:  # as the command reads them, in an executor without processes
        return plan.make(
            found, lambda files: contents_of(files, Graders().grading_executor()), roster or Roster(), **more
        )
    return plan.make(found, read, roster or Roster(), **more)


def chosen(made):
    """{student: {lesson: the files that may count}}."""
    return {
        key: {lesson: [each.file.name for each in choice.counts] for lesson, choice in student.choices.items()}
        for key, student in made.students.items()
    }


def of_00(students):
    return {key: {"00": [name] if isinstance(name, str) else name} for key, name in students.items()}


LOGINS = ("ada", "bob", "cyd")
BLACKBOARD = (
    "Name: Ada Lovelace (a_love)\nAssignment: One row\nDate Submitted: Sunday, November 22, 2026 10:15:00 AM UTC\n"
)
METADATA = """---
submission_11:
  :submitters:
  - :name: Ada Lovelace
    :sid: '101'
    :email: ada@example.edu
  :created_at: 2026-11-22 10:15:00.123456789 Z
  :score: 3.0
  :history:
  - :id: 10
    :created_at: 2026-11-21 10:15:00 Z
    :name: nobody
submission_12:
  :submitters:
  - :name: "Bob O'Neill"
    :sid: ''
    :email: bob@example.edu
  - :name: Cyd
    :sid: 103
    :email: cyd@example.edu
  :created_at: 2026-11-22 12:15:00 +0200
"""
GRADESCOPE = {
    "assignment_5_export/submission_metadata.yml": METADATA,
    f"assignment_5_export/submission_11/{NAME}": ADA,
    "assignment_5_export/submission_11/helper.py": "x = 1",
    f"assignment_5_export/submission_12/sub/{NAME}": BOB,
}
G = "assignment_5_export/submission_1"
CLASSES = {
    "canvas": (
        {
            "lovelaceada_101_9001_00_check.ipynb": ADA, "lovelaceada_101_9007_00_check-1.ipynb": work("0"),
            "bobo_LATE_102_9002_00.ipynb": BOB, "LATE_anon_aB3dE_9003_00.ipynb": CYD, "dan_104_text.html": "typed",
        },
        of_00({
            "lovelaceada_101": "lovelaceada_101_9007_00_check-1.ipynb", "bobo_102": "bobo_LATE_102_9002_00.ipynb",
            "anon_aB3dE": "LATE_anon_aB3dE_9003_00.ipynb",
        }) | {"dan_104": {}},
    ),
    "canvas, anonymous": (
        {
            f"anon_aB3dE_9001_{NAME}": work("0"), f"LATE_anon_aB3dE_9003_{NAME[:-6]}-1.ipynb": ADA,
            f"anon_12c45_9002_{NAME}": BOB, f"anon_12345_9004_{NAME}": CYD, "anon_Zz9zZ_text.html": "typed",
        },
        of_00({
            "anon_aB3dE": f"LATE_anon_aB3dE_9003_{NAME[:-6]}-1.ipynb", "anon_12c45": f"anon_12c45_9002_{NAME}",
            "anon_12345": f"anon_12345_9004_{NAME}",
        }) | {"anon_Zz9zZ": {}},
    ),
    "canvas, a backup in one attempt": (
        {"ada_1_11_00.ipynb": ADA, "ada_1_12_00_backup.ipynb": BOB, "bob_2_13_00.ipynb": BOB, "cyd_3_14_00.ipynb": CYD},
        of_00({
            "ada_1": ["ada_1_11_00.ipynb", "ada_1_12_00_backup.ipynb"], "bob_2": "bob_2_13_00.ipynb",
            "cyd_3": "cyd_3_14_00.ipynb",
        }),
    ),
    "canvas, zips of students": (
        {"ada_1_11_all.zip": {f"all/{NAME}": ADA}, "bob_2_12_all.zip": {NAME: BOB}, "cyd_3_13_00.ipynb": CYD},
        of_00({
            "ada_1": f"ada_1_11_all.zip/all/{NAME}", "bob_2": f"bob_2_12_all.zip/{NAME}", "cyd_3": "cyd_3_13_00.ipynb",
        }),
    ),
    "moodle": (
        {
            "Ada Lovelace_101_assignsubmission_file_/00.ipynb": ADA,
            "Bob_102_assignsubmission_file/my/00 (1).ipynb": BOB,
            "Cyd_103_assignsubmission_file_/00.ipynb": BLANK, "Cyd_103_assignsubmission_file_/solved.ipynb": CYD,
            "Cyd_103_assignsubmission_onlinetext_/onlinetext.html": "<p>see file</p>",
        },
        of_00({
            "Ada Lovelace_101": "Ada Lovelace_101_assignsubmission_file_/00.ipynb",
            "Bob_102": "Bob_102_assignsubmission_file/my/00 (1).ipynb",
            "Cyd_103": "Cyd_103_assignsubmission_file_/solved.ipynb",
        }),
    ),
    "moodle, flat": (
        {f"{name}_assignsubmission_file_00.ipynb": ADA for name in ("Ada L_1", "Bob_2", "Cyd_3")},
        of_00({name: f"{name}_assignsubmission_file_00.ipynb" for name in ("Ada L_1", "Bob_2", "Cyd_3")}),
    ),
    "gradescope": (
        GRADESCOPE,
        of_00({
            "Ada Lovelace_101": f"{G}1/{NAME}", "Bob O'Neill_bob@example.edu": f"{G}2/sub/{NAME}",
            "Cyd_103": f"{G}2/sub/{NAME} (2)",
        }),
    ),
    "github classroom": (
        {
            f"one-row-submissions/one-row-{login}/{place}": text
            for login, mine in (("ada", ADA), ("bob", BOB), ("cyd", BLANK))
            for place, text in {
                ".git/HEAD": "ref: refs/heads/main", "README.md": "x", f"notebooks/{NAME}": mine,
                "notebooks/04_one_row.ipynb": BLANK_04, f"notebooks/zh/{NAME}": TWIN, f"solutions/{NAME}": SOLUTION,
            }.items()
        },
        of_00({f"one-row-{who}": f"one-row-submissions/one-row-{who}/notebooks/{NAME}" for who in LOGINS}),
    ),
    "google classroom": (
        {
            f"Ada Lovelace - {NAME}": ADA, f"Bob - Copy of {NAME}": BOB, "Cyd - 00_check_your_bench (1).ipynb": CYD,
        },
        of_00({
            "Ada Lovelace": f"Ada Lovelace - {NAME}", "Bob": f"Bob - Copy of {NAME}",
            "Cyd": "Cyd - 00_check_your_bench (1).ipynb",
        }),
    ),
    "google classroom, files of other names": (
        {
            f"Ada Lovelace - {NAME}": ADA, f"Bob - Copy of {NAME}": BOB, "Cyd - homework.ipynb": CYD,
            "Dan - all.zip": {f"all/{NAME}": ADA}, "Eve - scan.pdf": "%PDF", f"Fay - {NAME[:-6]}.txt": ADA,
            f"Gil - mine, {NAME}": CYD, f"Hal - {NAME}.crdownload": ADA[:99],
        },
        of_00({
            "Ada Lovelace": f"Ada Lovelace - {NAME}", "Bob": f"Bob - Copy of {NAME}", "Cyd": "Cyd - homework.ipynb",
            "Dan": f"Dan - all.zip/all/{NAME}", "Fay": f"Fay - {NAME[:-6]}.txt", "Gil": f"Gil - mine, {NAME}",
        }) | {"Eve": {}, "Hal": {}},
    ),
    "google drive, parts that were unpacked": (
        {
            f"drive-download-20261122T101500Z-1-{part}/{name}": text
            for part, name, text in (
                ("001", f"Ada Lovelace - {NAME}", ADA), ("002 (1)", f"Bob - Copy of {NAME}", BOB),
                ("003", f"Cyd - {NAME}", CYD),
            )
        },
        of_00({
            "Ada Lovelace": f"drive-download-20261122T101500Z-1-001/Ada Lovelace - {NAME}",
            "Bob": f"drive-download-20261122T101500Z-1-002 (1)/Bob - Copy of {NAME}",
            "Cyd": f"drive-download-20261122T101500Z-1-003/Cyd - {NAME}",
        }),
    ),
    "google drive, parts that were downloaded twice": (
        {
            "c-20261122T101500Z-001.zip": {f"c/ada/{NAME}": ADA, f"c/bob/{NAME}": BLANK},
            "c-20261122T101500Z-001 (1).zip": {f"c/ada/{NAME}": ADA, f"c/bob/{NAME}": BLANK},
            "c-20261122T101500Z-002 (1).zip": {f"c/bob/deep/{NAME}": BOB, f"c/cyd/{NAME}": CYD},
        },
        of_00({
            "ada": f"c-20261122T101500Z-001.zip/c/ada/{NAME}",
            "bob": f"c-20261122T101500Z-002 (1).zip/c/bob/deep/{NAME}",
            "cyd": f"c-20261122T101500Z-002 (1).zip/c/cyd/{NAME}",
        }),
    ),
    "brightspace": (
        {
            f"11-99 - Ada Lovelace - Nov 22, 2026 915 PM/{NAME}": work("0"),
            f"11-99 - Ada Lovelace - Nov 23, 2026 1015 AM/{NAME}": ADA,
            f"12-99 - Bob O'Neill - 22 November, 2026 1432/my work/{NAME}": BOB,
            "13-99 - Cyd - King - Dec 1, 2026 905 AM/hw.zip": {NAME: CYD}, "index.html": "<html>",
            "14-99 - Dan - Dec 1, 2026 905 AM/scan.pdf": "%PDF",
        },
        of_00({
            "Ada Lovelace_11": f"11-99 - Ada Lovelace - Nov 23, 2026 1015 AM/{NAME}",
            "Bob O'Neill_12": f"12-99 - Bob O'Neill - 22 November, 2026 1432/my work/{NAME}",
            "Cyd - King_13": f"13-99 - Cyd - King - Dec 1, 2026 905 AM/hw.zip/{NAME}",
        }) | {"Dan_14": {}},
    ),
    "brightspace, files": (
        {
            f"11-99 - Ada Lovelace - Nov 22, 2026 915 PM - {NAME}": ADA,
            f"11-99 - Ada Lovelace - Nov 22, 2026 1115 AM - {NAME}": work("0"),
            f"12-99 - Bob - 5 Mai 2026 915 - {NAME}": BOB,
        },
        of_00({
            "Ada Lovelace_11": f"11-99 - Ada Lovelace - Nov 22, 2026 915 PM - {NAME}",
            "Bob_12": f"12-99 - Bob - 5 Mai 2026 915 - {NAME}",
        }),
    ),
    "brightspace, times of other places": (
        {
            f"11-99 - Ada Lovelace - 2026年11月22日 下午115/{NAME}": ADA,
            f"11-99 - Ada Lovelace - 2026年11月22日 1015/{NAME}": work("0"),
            f"12-99 - Bob - 2026-11-22 1015/{NAME}": work("0"), f"12-99 - Bob - 2026-11-22 1630/{NAME}": BOB,
        },
        of_00({
            "Ada Lovelace_11": f"11-99 - Ada Lovelace - 2026年11月22日 下午115/{NAME}",
            "Bob_12": f"12-99 - Bob - 2026-11-22 1630/{NAME}",
        }),
    ),
    "canvas, a download for each piece of work": (
        {
            "hw0/submissions.zip": {f"ada_1_11_{NAME}": ADA, f"bob_2_12_{NAME}": BOB},
            "hw4/submissions.zip": {"ada_1_21_04.ipynb": one_row("1"), "bob_2_22_04.ipynb": one_row("2")},
        },
        {
            f"{who}_{n}": {
                "00": [f"hw0/submissions.zip/{who}_{n}_1{n}_{NAME}"],
                "04": [f"hw4/submissions.zip/{who}_{n}_2{n}_04.ipynb"],
            }
            for n, who in ((1, "ada"), (2, "bob"))
        },
    ),
    "a script beside the blank notebook": (
        {
            f"ada/{NAME}": BLANK, "ada/00_check_your_bench.py": "def double(x):\n    return x + x\n",
            f"bob/{NAME}": BOB, "bob/00_check_your_bench.py": "def double(x):\n    return 0\n",
            f"cyd/{NAME}": BLANK, "cyd/00_check_your_bench.py": "import torch\n",
        },
        of_00({"ada": "ada/00_check_your_bench.py", "bob": f"bob/{NAME}", "cyd": f"cyd/{NAME}"}),
    ),
    "zips of notebooks, of macOS": (
        {"ada.ipynb.zip": {NAME: ADA, f"__MACOSX/._{NAME}": "x"}, "bob.zip": {NAME: BOB}},
        of_00({"ada": f"ada.ipynb.zip/{NAME}", "bob": f"bob.zip/{NAME}"}),
    ),
    "in Chinese, with a number and plus signs": (
        {"作业0+赵六+2026004.ipynb": ADA, "2026001_张伟_作业0.ipynb": BOB},
        of_00({"赵六+2026004": "作业0+赵六+2026004.ipynb", "2026001_张伟": "2026001_张伟_作业0.ipynb"}),
    ),
    "google drive, in parts": (
        {
            "week 4-20261122T101500Z-001.zip": {f"week 4/ada/{NAME}": BLANK, f"week 4/bob/{NAME}": BOB},
            "week 4-20261122T101500Z-002.zip": {f"week 4/ada/mine/{NAME}": ADA, f"week 4/cyd/{NAME}": CYD},
        },
        of_00({
            "ada": f"week 4-20261122T101500Z-002.zip/week 4/ada/mine/{NAME}",
            "bob": f"week 4-20261122T101500Z-001.zip/week 4/bob/{NAME}",
            "cyd": f"week 4-20261122T101500Z-002.zip/week 4/cyd/{NAME}",
        }),
    ),
    "blackboard": (
        {
            "One row_a_love_attempt_2026-11-22-10-15-00.txt": BLACKBOARD,
            f"One row_a_love_attempt_2026-11-22-10-15-00_{NAME}": ADA,
            f"One row_bob_attempt_2026-11-20-10-15-00_{NAME}": work("0"),
            "One row_bob_attempt_2026-11-20-10-15-00.txt": BLACKBOARD.replace("a_love", "bob"),
            f"One row_bob_attempt_2026-11-23-10-15-00_{NAME}": BOB,
            "One row_bob_attempt_2026-11-23-10-15-00.txt": BLACKBOARD.replace("a_love", "bob"),
            "One row_cyd_attempt_2026-11-23-10-15-00.txt": BLACKBOARD.replace("a_love", "cyd"),
        },
        of_00({
            "a_love": f"One row_a_love_attempt_2026-11-22-10-15-00_{NAME}",
            "bob": f"One row_bob_attempt_2026-11-23-10-15-00_{NAME}",
        }) | {"cyd": {}},
    ),
    "teams": (
        {
            f"Student Work/Submitted files/Ada Lovelace/One row/Version 1/{NAME}": work("0"),
            f"Student Work/Submitted files/Ada Lovelace/One row/Version 10/{NAME}": ADA,
            f"Student Work/Submitted files/Ada Lovelace/One row/Version 2/{NAME}": work("1"),
            f"Student Work/Submitted files/Bob/One row/Version 1/{NAME}": BOB,
            f"Student Work/Working files/Bob/One row/{NAME}": work("1"),
            f"Student Work/Submitted files/Dan/One row/Version 1/{NAME}": ADA[:999],
            f"Student Work/Working files/Dan/One row/{NAME}": BLANK,
            f"Student Work/Working files/Cyd/One row/{NAME}": CYD,
        },
        of_00({
            "Ada Lovelace": f"Student Work/Submitted files/Ada Lovelace/One row/Version 10/{NAME}",
            "Bob": f"Student Work/Submitted files/Bob/One row/Version 1/{NAME}",
            "Cyd": f"Student Work/Working files/Cyd/One row/{NAME}",
        }) | {"Dan": {}},
    ),
    "teams, in Chinese": (
        {
            f"学生作业/已提交的文件/张伟/One row/版本 1/{NAME}": work("0"),
            f"学生作业/已提交的文件/张伟/One row/版本 10/{NAME}": ADA,
            f"学生作业/已提交的文件/李娜/One row/版本 1/{NAME}": BOB, f"学生作业/工作文件/李娜/One row/{NAME}": CYD,
            f"学生作业/工作文件/王芳/One row/{NAME}": CYD,
        },
        of_00({
            "张伟": f"学生作业/已提交的文件/张伟/One row/版本 10/{NAME}",
            "李娜": f"学生作业/已提交的文件/李娜/One row/版本 1/{NAME}",
            "王芳": f"学生作业/工作文件/王芳/One row/{NAME}",
        }),
    ),
    "by hand, a folder called as Teams calls one": (
        {f"提交的文件/{who}/{NAME}": ADA for who in ("张伟", "李娜")},
        of_00({who: f"提交的文件/{who}/{NAME}" for who in ("张伟", "李娜")}),
    ),
    "nbgrader": (
        {
            f"submitted/ada/first/{NAME}": work("0"), "submitted/ada/first/timestamp.txt": "2026-11-22 10:15:00.5 UTC",
            f"submitted/ada/again/{NAME}": ADA, "submitted/ada/again/timestamp.txt": "2026-11-22 12:16:00 +0200",
            f"submitted/bob/first/{NAME}": BOB, "submitted/bob/first/timestamp.txt": "2026-11-22 10:15:00 UTC",
            f"submitted/cyd/first/{NAME}": CYD, "submitted/cyd/first/mine/timestamp.txt": "2020-01-01 10:15:00 UTC",
            f"source/first/{NAME}": SOLUTION, f"release/first/{NAME}": BLANK, f"autograded/bob/first/{NAME}": BOB,
            f"downloaded/first/extracted/bob/{NAME}": BOB,
            "nbgrader_config.py": "c = get_config()", "header.ipynb": "{}", "gradebook.db": "x", "old.rar": "Rar!",
        },
        of_00({
            "ada": f"submitted/ada/again/{NAME}", "bob": f"submitted/bob/first/{NAME}",
            "cyd": f"submitted/cyd/first/{NAME}",
        }),
    ),
    "nbgrader's exchange": (
        {
            f"ada+one_row+2026-11-22 10:15:00.123456 UTC+x7/{NAME}": work("0"),
            f"ada+one_row+2026-11-22 11:15:00.123456 UTC+x8/{NAME}": ADA,
            f"bob+one_row+2026-11-22 10:15:00.123456 UTC/{NAME}": BOB,
        },
        of_00({
            "ada": f"ada+one_row+2026-11-22 11:15:00.123456 UTC+x8/{NAME}",
            "bob": f"bob+one_row+2026-11-22 10:15:00.123456 UTC/{NAME}",
        }),
    ),
    "by hand": (
        {
            f"ada/{NAME}": ADA, f"ada/{NAME.replace('.', ' (1).')}": ADA, "bob.zip": {f"deep/er/{NAME}": BOB},
            "cyd/hw.zip": {"inner.zip": {NAME: CYD}}, "cyd/timestamp.txt": "2020-01-01 00:00:00 UTC",
            NAME: BLANK, "readme.txt": "x",
        },
        of_00({"ada": f"ada/{NAME}", "bob": f"bob.zip/deep/er/{NAME}", "cyd": f"cyd/hw.zip/inner.zip/{NAME}"}),
    ),
    "google classroom, copies in Chinese": (
        {
            f"张伟 - “{NAME}”的副本.ipynb": ADA, f"{NAME[:-6]}的副本 - 李娜.ipynb": BOB,
            f"“{NAME[:-6]}”的副本_王芳.ipynb": CYD,
        },
        of_00({
            "张伟": f"张伟 - “{NAME}”的副本.ipynb", "李娜": f"{NAME[:-6]}的副本 - 李娜.ipynb",
            "王芳": f"“{NAME[:-6]}”的副本_王芳.ipynb",
        }),
    ),
    "gradescope, a folder packed again": (
        {name: text for name, text in GRADESCOPE.items() if "submission_11" not in name}
        | {f"{G}1.zip": {NAME: ADA}},
        of_00({
            "Ada Lovelace_101": f"{G}1.zip/{NAME}", "Bob O'Neill_bob@example.edu": f"{G}2/sub/{NAME}",
            "Cyd_103": f"{G}2/sub/{NAME} (2)",
        }),
    ),
    "canvas, a notebook and its script in one attempt": (
        {
            f"ada_1_11_{NAME}": ADA, "ada_1_12_00_check_your_bench.py": "# %%\ndef double(x): return 0",
            f"bob_2_13_{NAME} ": BOB,
        },
        of_00({
            "ada_1": [f"ada_1_11_{NAME}", "ada_1_12_00_check_your_bench.py"], "bob_2": f"bob_2_13_{NAME} ",
        }),
    ),
    "by hand, files, names in brackets": (
        {f"{NAME[:-6]} - Bob.ipynb": BOB, f"{NAME[:-6]}(Cyd).ipynb": CYD},
        of_00({"Bob": f"{NAME[:-6]} - Bob.ipynb", "Cyd": f"{NAME[:-6]}(Cyd).ipynb"}),
    ),
    "by hand, a folder called like its notebook": (
        {f"ada/{NAME}/{NAME}": ADA, f"bob/{NAME}": BOB},
        of_00({"ada": f"ada/{NAME}/{NAME}", "bob": f"bob/{NAME}"}),
    ),
    "github classroom, two assignments": (
        {
            f"org/{name}": text
            for name, text in {
                f"one-submissions/one-ada/notebooks/{NAME}": ADA, f"one-submissions/one-bob/notebooks/{NAME}": BOB,
                "two-submissions/two-ada/notebooks/04_one_row.ipynb": one_row("1"),
            }.items()
        },
        of_00({f"one-{who}": f"org/one-submissions/one-{who}/notebooks/{NAME}" for who in ("ada", "bob")})
        | {"two-ada": {"04": ["org/two-submissions/two-ada/notebooks/04_one_row.ipynb"]}},
    ),
    "moodle, sections of one student": (
        {f"{place}_assignsubmission_file_/{NAME}": ADA for place in ("Mon/Ada_1", "Tue/Bob_2")},
        of_00({place[4:]: f"{place}_assignsubmission_file_/{NAME}" for place in ("Mon/Ada_1", "Tue/Bob_2")}),
    ),
    "by hand, files": (
        {
            "ada_00_check_your_bench.ipynb": ADA, "00_check_your_bench_bob.ipynb": BOB,
            "ada_04_one_row.ipynb": one_row("1"),
        },
        {"ada": {"00": ["ada_00_check_your_bench.ipynb"], "04": ["ada_04_one_row.ipynb"]}}
        | of_00({"bob": "00_check_your_bench_bob.ipynb"}),
    ),
    "by hand, files of two pieces of work": (
        {
            "ada_hw0.ipynb": ADA, "ada_hw4.ipynb": one_row("1"), "hw0-bob smith.ipynb": BOB, "cyd_Lab 0 (1).ipynb": CYD,
            "张伟_第一周作业.ipynb": ADA, "s2021_homework0_final.ipynb": BOB, "dan.ipynb": ADA, "eve_hw0.pdf": "%PDF",
            "ada_hw0.pdf": "%PDF", "syllabus.pdf": "%PDF", "评分标准.docx": "x", "Grading 2026.pdf": "%PDF",
        },
        {"ada": {"00": ["ada_hw0.ipynb"], "04": ["ada_hw4.ipynb"]}, "eve": {}} | of_00({
            "bob smith": "hw0-bob smith.ipynb", "cyd": "cyd_Lab 0 (1).ipynb", "张伟": "张伟_第一周作业.ipynb",
            "s2021": "s2021_homework0_final.ipynb", "dan": "dan.ipynb",
        }),
    ),
    "zips of two pieces of work": (
        {"ada_hw0.zip": {NAME: ADA}, "ada_hw4.zip": {"x/04_one_row.ipynb": one_row("1")}, "hw0_bob.zip": {NAME: BOB}},
        {"ada": {"00": [f"ada_hw0.zip/{NAME}"], "04": ["ada_hw4.zip/x/04_one_row.ipynb"]}}
        | of_00({"bob": f"hw0_bob.zip/{NAME}"}),
    ),
    "weeks": (
        {
            f"{week}/{who}/{name}": text
            for week, name, text in (("week 1", NAME, ADA), ("week 2", "04_one_row.ipynb", one_row("1")))
            for who in ("ada", "bob")
        } | {"week 2/cyd/mine.ipynb": one_row("2"), "week 1/list.csv": "x", "readme.txt": "x"},
        {
            who: {"00": [f"week 1/{who}/{NAME}"], "04": [f"week 2/{who}/04_one_row.ipynb"]} for who in ("ada", "bob")
        } | {"cyd": {"04": ["week 2/cyd/mine.ipynb"]}},
    ),
    "weeks, in Chinese, and files": (
        {
            "作业0/张伟.ipynb": ADA, "作业0/李娜_作业0.ipynb": BOB, "作业4/张伟.ipynb": one_row("1"),
            "作业4/李娜_作业4.zip": {"x.ipynb": one_row("2")},
        },
        {
            "张伟": {"00": ["作业0/张伟.ipynb"], "04": ["作业4/张伟.ipynb"]},
            "李娜": {"00": ["作业0/李娜_作业0.ipynb"], "04": ["作业4/李娜_作业4.zip/x.ipynb"]},
        },
    ),
    "google classroom, papers beside": (
        {f"Ada L - {NAME}": ADA, "Bob - mine.ipynb": BOB, f"Cyd - {NAME}": CYD, "Dan - scan.pdf": "x", "week.pdf": "x"},
        of_00({"Ada L": f"Ada L - {NAME}", "Bob": "Bob - mine.ipynb", "Cyd": f"Cyd - {NAME}"}) | {"Dan": {}},
    ),
    "homework of other names": (
        {"ada/a.ipynb": ADA, "bob/b.ipynb": BOB}, of_00({"ada": "ada/a.ipynb", "bob": "bob/b.ipynb"}),
    ),
    "canvas, one student": ({"ada_1_11_00.ipynb": ADA}, of_00({"ada_1": "ada_1_11_00.ipynb"})),
    "google classroom, one student": ({f"Ada L - {NAME}": ADA}, of_00({"Ada L": f"Ada L - {NAME}"})),
    "sections": (
        {f"{place}/hw.ipynb": ADA for place in ("Mon/ada", "Mon/bob", "Tue/cyd", "Tue/dan")},
        of_00({place[4:]: f"{place}/hw.ipynb" for place in ("Mon/ada", "Mon/bob", "Tue/cyd", "Tue/dan")}),
    ),
    "gradescope, beside a class by hand": (
        GRADESCOPE | {f"late/{name}/{NAME}": text for name, text in (("dan", ADA), ("eve", BOB))},
        of_00({
            "Ada Lovelace_101": f"{G}1/{NAME}", "Bob O'Neill_bob@example.edu": f"{G}2/sub/{NAME}",
            "Cyd_103": f"{G}2/sub/{NAME} (2)", "dan": f"late/dan/{NAME}", "eve": f"late/eve/{NAME}",
        }),
    ),
    "blackboard, users of whom no text tells": (
        {f"One row_{who}_attempt_2026-11-22-10-15-00_{NAME}": ADA for who in ("a_love", "b_love")},
        of_00({who: f"One row_{who}_attempt_2026-11-22-10-15-00_{NAME}" for who in ("a_love", "b_love")}),
    ),
    "attempts in folders": (
        {f"{name}/attempt {n}/hw.ipynb": work(f"x * {n}") for name in ("ada", "bob", "cyd") for n in (1, 2)},
        of_00({name: [f"{name}/attempt {n}/hw.ipynb" for n in (1, 2)] for name in ("ada", "bob", "cyd")}),
    ),
}  # fmt: skip


def packed(files):
    """The same files, those that are dictionaries packed as zip files, at any depth."""
    return {name: _zip(packed(each)) if isinstance(each, dict) else each for name, each in files.items()}


def _zip(files):
    import io

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in files.items():
            z.writestr(name, text)
    return data.getvalue()


def inside(expected, around):
    """The same students, with the class in a folder."""
    return {
        key: {lesson: [f"{around}{name}" for name in names] for lesson, names in of.items()}
        for key, of in expected.items()
    }


@pytest.mark.parametrize("kind", CLASSES)
def test_every_student_is_found_with_the_file_that_counts(kind, tmp_path):
    """In a folder, and in a zip under a name of its own with backslashes and one folder more around the class."""
    files, expected = CLASSES[kind]
    files = packed(files)

    made = planned(write(tmp_path / "week 4", files))
    assert expected == {key: {n: sorted(f) for n, f in of.items()} for key, of in chosen(made).items()}
    assert not [doubt for doubt in made.doubts if "one student" in doubt and not kind.startswith("attempts")], (
        made.doubts
    )

    around = "" if kind.startswith("by hand, files") else "week 4/"
    odd = pack(
        tmp_path / "downloads" / "week 4 (1).zip", {(around + n).replace("/", "\\"): t for n, t in files.items()}
    )
    made = planned(odd)
    assert inside(expected, around) == {key: {n: sorted(f) for n, f in of.items()} for key, of in chosen(made).items()}
    # The same download in a folder of its own, and that in a zip.
    assert set(expected) == set(planned(odd.parent).students)
    assert set(expected) == set(planned(pack(tmp_path / "all.zip", {"x/class.zip": odd.read_bytes()})).students)


def test_times_and_names_of_platforms_are_kept(tmp_path):
    """In UTC; the names by which a roster knows a student; nobody's own timestamp.txt."""
    files = {each.student: each for each in submissions.find(write(tmp_path / "a", CLASSES["gradescope"][0]))}
    assert "2026-11-22 10:15:00" == files["Ada Lovelace_101"].handed_in == files["Cyd_103"].handed_in
    made = planned(tmp_path / "a")
    assert made.students["Ada Lovelace_101"].names == ("101", "ada@example.edu")
    drafts = planned(write(tmp_path / "t", CLASSES["teams"][0])).for_a_person
    assert [f"Cyd: Student Work/Working files/Cyd/One row/{NAME}: it was not handed in"] == drafts[1:]
    assert ("Ada Lovelace",) == planned(write(tmp_path / "b", CLASSES["blackboard"][0])).students["a_love"].names
    assert ("ada",) == planned(write(tmp_path / "c", CLASSES["github classroom"][0])).students["one-row-ada"].names
    files = {each.name: each for each in submissions.find(write(tmp_path / "d", CLASSES["nbgrader"][0]))}
    assert "2026-11-22 10:16:00" == files[f"submitted/ada/again/{NAME}"].handed_in
    assert files[f"submitted/cyd/first/{NAME}"].handed_in is None
    own = write(
        tmp_path / "e",
        {f"ada/hw/{NAME}": ADA, "ada/hw/timestamp.txt": "2020-01-01 00:00:00 UTC", f"bob/hw/{NAME}": BOB},
    )
    assert {each.handed_in for each in submissions.find(own)} == {None}


# ---- which file


COUNTS = {
    "a twin in Chinese": ({f"notebooks/{NAME}": ADA, f"notebooks/zh/{NAME}": TWIN}, [f"notebooks/{NAME}"]),
    "work in Chinese": ({f"notebooks/{NAME}": BLANK, f"notebooks/zh/{NAME}": work(of=TWIN)}, [f"notebooks/zh/{NAME}"]),
    "the course's solution": ({f"notebooks/{NAME}": ADA, f"solutions/{NAME}": SOLUTION}, [f"notebooks/{NAME}"]),
    "a copy of the course": (
        {
            f"course/notebooks/{NAME}": ADA, f"course/solutions/{NAME}": SOLUTION,
            "course/solutions/00_x.py": "# %%\ndef double(x): 1",
            "course/tests/attacks/05_right.py": "# %%\ndef double(x):\n    return 2 * x",
            "course/grader/api.py": "def double(x): 1",
        },
        [f"course/notebooks/{NAME}"],
    ),
    "own work in solutions/": ({NAME: BLANK, f"solutions/{NAME}": ADA}, [f"solutions/{NAME}"]),
    "a blank copy": ({NAME: ADA, "00_check_your_bench (1).ipynb": BLANK}, [NAME]),
    "Jupyter's second one": ({NAME: ADA, f"{NAME[:-6]}-Copy1.ipynb": BOB}, [f"{NAME[:-6]}-Copy1.ipynb", NAME]),
    "a copy in Chinese": ({NAME: ADA, f"{NAME[:-6]} - 副本.ipynb": BOB}, [NAME, f"{NAME[:-6]} - 副本.ipynb"]),
    "a backup": ({NAME: ADA, "00_check_your_bench_backup.ipynb": BOB}, ["00_check_your_bench_backup.ipynb", NAME]),
    "a copy of": ({NAME: BLANK, f"Copy of {NAME}": ADA}, [f"Copy of {NAME}"]),
    "Jupyter's copy": ({NAME: ADA, f".ipynb_checkpoints/{NAME.replace('.', '-checkpoint.')}": BOB}, [NAME]),
    "only Jupyter's copy": (
        {NAME: BLANK, f".ipynb_checkpoints/{NAME.replace('.', '-checkpoint.')}": ADA},
        [f".ipynb_checkpoints/{NAME.replace('.', '-checkpoint.')}"],
    ),
    "equal answers": ({NAME: ADA, "other.ipynb": ADA.replace("## ", "### ")}, [NAME]),
    "saved as text": ({f"{NAME}.txt": ADA, "notes.txt": "x"}, [f"{NAME}.txt"]),
    "saved as JSON": ({f"{NAME}.json": ADA, "00_check_your_bench.json": BLANK}, [f"{NAME}.json"]),
    "another version's stub": ({NAME: ADA, f"zh/{NAME}": TWIN.replace("as a new tensor", "in a tensor")}, [NAME]),
    "a mark left below an answer": (
        {NAME: work("x + x\\n\",\n    \"    raise NotImplementedError('TODO 0.1')"), f"zh/{NAME}": TWIN}, [NAME],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", COUNTS)
def test_the_courses_own_files_never_replace_work(case, tmp_path):
    """Nor does a blank one; of copies that differ, all are judged."""
    files, counts = COUNTS[case]
    made = planned(write(tmp_path, {f"ada/{name}": text for name, text in files.items()} | {f"bob/{NAME}": BOB}))

    assert sorted(f"ada/{name}" for name in counts) == sorted(chosen(made)["ada"]["00"])
    undecided = len(counts) > 1
    assert all(made.standings[f"ada/{name}"].undecided == undecided for name in counts)
    odd = any(name.endswith((".txt", ".json")) for name in counts)  # read, and named
    assert (undecided or odd) == bool(made.for_a_person) and not made.doubts
    # Every file has a standing or a reason, or lies beside a notebook.
    beside = {name for file in made.files for name in file.beside}
    assert {f"ada/{name}" for name in files} <= made.standings.keys() | made.left_out.keys() | beside


@pytest.mark.parametrize(
    "place",
    [
        "{who}_1_11_course.zip/", "{who}_1_assignsubmission_file_/", "One row_{who}_attempt_2026-11-22-10-15-00_c.zip/",
        "Submitted files/{who}/One row/Version 1/c.zip/", "submitted/{who}/ps1/", "{who}/", "{who} - course.zip/",
    ],
)  # fmt: skip
def test_a_copy_of_the_course_gives_no_answers_on_any_platform(place, tmp_path):
    """Its programs and tests hold some, in files that are read as notebooks."""
    right = "# %%\ndef double(x):\n    return 2 * x\n"
    course = {f"{part}/x/00_right.py": right for part in ("tests", "grader", "tools")} | {
        "solutions/00_check_your_bench.py": right, f"solutions/{NAME}": SOLUTION, f"notebooks/zh/{NAME}": TWIN,
    }  # fmt: skip
    files = {}
    for who, mine in (("ada", ADA), ("bob", BLANK)):
        inside = course | {f"notebooks/{NAME}": mine}
        files |= {f"{place.format(who=who)}five-passes/{name}": text for name, text in inside.items()}
    made = planned(pack(tmp_path / "class.zip", files))
    counts = {key: [name for names in of.values() for name in names] for key, of in chosen(made).items()}
    assert sorted(name.partition("five-passes/")[2] for names in counts.values() for name in names) == [
        f"notebooks/{NAME}", f"notebooks/{NAME}",
    ] and len(counts) == 2  # fmt: skip
    assert all(name in made.left_out for name in files if "/x/" in name)


@pytest.mark.parametrize("folder", ["solutions", "Solutions", "solutions (1)", "solutions-1.zip", "Copy of solutions"])
def test_a_copy_of_the_solutions_never_replaces_a_blank_notebook(folder, tmp_path):
    """Under any name that a browser or a system gives the folder."""
    made = planned(write(tmp_path, {f"ada/{NAME}": BLANK, f"ada/{folder}/{NAME}": SOLUTION, f"bob/{NAME}": BOB}))
    assert chosen(made) == of_00({"ada": f"ada/{NAME}", "bob": f"bob/{NAME}"})
    assert made.left_out[f"ada/{folder}/{NAME}"] == "it is the course's solution"


def test_folders_of_those_who_teach_are_no_students(tmp_path):
    """Beside a class; where somebody's work may lie in one, a person is asked."""
    files = {
        f"ada/{NAME}": ADA, f"bob/{NAME}": BOB, "feedback/ada.html": "x", f"solutions/{NAME}": SOLUTION,
        f"template/{NAME}": BLANK, f"template/zh/{NAME}": TWIN,
    }  # fmt: skip
    made = planned(write(tmp_path, files))
    assert chosen(made) == of_00({"ada": f"ada/{NAME}", "bob": f"bob/{NAME}"}) and made.doubts == []
    assert {*files} - {f"ada/{NAME}", f"bob/{NAME}"} == {*made.left_out}
    (doubt,) = planned(write(tmp_path, {f"feedback/{NAME}": CYD})).doubts
    assert doubt.startswith("these bear no student's name: feedback.")
    more = {f"dan_1_11_{NAME}": ADA, f"eve_2_12_{NAME}": BOB, "feedback/dan.html": "x", f"solutions/{NAME}": SOLUTION}
    assert set(planned(write(tmp_path / "canvas", more)).students) == {"dan_1", "eve_2"}


@pytest.mark.parametrize("packs", [False, True])
def test_a_clone_without_files_is_named(packs, tmp_path):
    """Of somebody who has pushed nothing."""
    files = {f"hw-ada/notebooks/{NAME}": ADA, "hw-ada/.git/HEAD": "x", "hw-dan/.git/HEAD": "x", f"hw-bob/{NAME}": BOB}
    made = planned(pack(tmp_path / "c.zip", files) if packs else write(tmp_path, files))
    assert set(made.students) == {"hw-ada", "hw-bob"} and made.left_out == {"hw-dan": "a folder without files"}


def test_blank_notebooks_count_only_where_somebody_has_an_answer(tmp_path):
    """A lesson that nobody worked on is no part of the totals; a student with blank ones alone is not forgotten."""
    files = {
        f"ada/{NAME}": ADA,
        "ada/04_one_row.ipynb": BLANK_04,
        f"bob/{NAME}": BLANK,
        "cyd/04_one_row.ipynb": BLANK_04,
    }
    made = planned(write(tmp_path, files))

    assert {"ada": {"00"}, "bob": {"00"}, "cyd": {"04"}} == {key: set(of) for key, of in chosen(made).items()}
    assert list(made.left_out) == ["ada/04_one_row.ipynb"]


@pytest.mark.whole
def test_every_stub_of_the_course_is_known(tmp_path):
    """In both languages, and none of the solutions; what tools/build.py stores is that of the lessons."""
    import build

    assert build.stale_stubs() == []
    for path in sorted(ROOT.glob("notebooks/**/*.ipynb")) + sorted(ROOT.glob("solutions/*.ipynb")):
        read = contents.of(path.read_bytes(), path.name)
        assert (path.parent.name != "solutions") == (read.answered == ()) == (not read.solution), path
    assert blank.STUBS.exists()


def marked(*of, more=""):
    """Lesson 04 as an earlier version may have handed it out, with these marks in its kernel."""
    marks = "".join(f'    tl.static_assert(False, "TODO 4.1 ({mark})")\n' for mark in of)
    text = f"@triton.jit\ndef softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):\n{marks}{more}"
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text)]))


@pytest.mark.parametrize(
    "of, more, answered",
    [
        (["1 of 2", "2 of 2"], "", ()),
        (["2 of 2"], "    y = 0\n", ("4.1",)),
        (["1 of 4", "2 of 4", "4 of 4"], "    y = 0\n", ("4.1",)),
        (["1 of 2", "2 of 2"], "    y = 0\n" * 20, ("4.1",)),
    ],
)
def test_a_stub_of_another_version_is_known_while_all_its_marks_stand(of, more, answered):
    """A version with another number of marks; where one of them was replaced, it is an answer."""
    assert contents.of(marked(*of, more=more).encode(), "04_one_row.ipynb").answered == answered


UNREAD = {
    "hal_1_11_work.7z": "an archive of another kind than zip, which is not opened",
    "hal_1_text.html": "it was typed or linked on the platform, and is no file",
    "hal_1_11_work.docx": "its name ends in neither .ipynb nor .py",
    "hal_1_11_work.zip": "it is no whole zip file: cut off",
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_no_notebook_says_what_it_is(name, tmp_path):
    """As a whole class is planned, so that nobody believes a hand-in to be lost."""
    made = planned(write(tmp_path, {f"ada_2_12_{NAME}": ADA, name: _zip({NAME: BOB})[:-30]}))
    assert UNREAD[name] in made.students["hal_1"].unread[name]


def test_a_notebook_with_answers_to_two_lessons_says_that_one_is_graded():
    """A name that both lessons ask for is no answer to the other one, nor is a check alone."""

    def told(*cells):
        text = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]))
        return contents.of(text.encode(), NAME).problems

    mine = "def double(x): return 2 * x"
    (problem,) = told(mine, 'check("0.1")', "def block_size(n): return 1", 'check("4.1")', "pads = {}", 'check("4.2")')
    assert problem.startswith("it holds answers to other lessons, too: 04. One lesson of a notebook is graded, here 00")
    assert told(mine, 'check("4.2")') == told(mine, "pads = {}") == ()


def test_a_file_without_answers_says_so(tmp_path):
    """Somebody handed in the notebook as it was handed out: it counts, and the plan names it."""
    made = planned(write(tmp_path, {f"ada/{NAME}": ADA, f"bob/{NAME}": BLANK}))
    assert made.students["bob"].choices["00"].why == "the file has no answers"
    assert made.students["ada"].choices["00"].why == ""


@pytest.mark.parametrize("damaged", [NAME, "hw.zip"])
def test_a_blank_notebook_does_not_stand_for_one_that_cannot_be_read(damaged, tmp_path):
    """As in a clone, where the blank Chinese twin lies beside a file that was cut off."""
    files = {f"bob/{NAME}": BOB, f"ada/{damaged}": ADA[:999], f"ada/zh/{NAME}": TWIN}
    made = planned(write(tmp_path, files))
    assert chosen(made)["ada"] == {} and list(made.students["ada"].unread) == [f"ada/{damaged}"]


def test_lessons_that_are_not_asked_for_need_no_blank_notebook(tmp_path):
    """Somebody handed in another lesson by mistake: that is no reason to judge everybody's blank one."""
    files = {f"ada/{NAME}": ADA, "ada/04_one_row.ipynb": BLANK_04, "bob/04_one_row.ipynb": one_row("return 1")}
    assert {"ada": {"00", "04"}, "bob": {"04"}} == {
        key: set(of) for key, of in chosen(planned(write(tmp_path, files))).items()
    }
    made = planned(tmp_path, asked=["00"])
    assert {"ada": {"00"}, "bob": {"04"}} == {key: set(of) for key, of in chosen(made).items()}
    assert (2, "lesson 04: it is no part of the assignment, and is not judged") in plan.lines(made)


def test_two_names_of_one_student_are_one_by_the_roster(tmp_path):
    """Of two platforms, which say nothing about each other: all is judged. Who is not in the roster is named."""
    write(tmp_path, {f"canvas/lovelaceada_7_11_{NAME}": ADA, "canvas/bobo_8_12_x.ipynb": BOB})
    write(tmp_path, {f"git/hw-adal/notebooks/{NAME}": CYD, f"git/hw-adal/notebooks/zh/{NAME}": TWIN})
    write(tmp_path, {f"git/hw-eve/notebooks/{NAME}": CYD})
    roster = of_tables([("class.csv", b"name,github_username\nAda Lovelace,adal\nBob O,bobo\n")])
    made = planned(tmp_path / "canvas", tmp_path / "git", roster=roster)
    both = [f"canvas/lovelaceada_7_11_{NAME}", f"git/hw-adal/notebooks/{NAME}"]
    assert sorted(chosen(made)["lovelaceada_7"]["00"]) == both and "hw-adal" in made.students["lovelaceada_7"].names
    assert all(made.standings[name].undecided for name in both)
    assert made.unlisted == ["hw-eve"] and made.missing == made.doubts == []
    assert planned(tmp_path / "canvas", tmp_path / "git", before=["hw-adal"], roster=roster).doubts == []


@pytest.mark.parametrize(
    "name, encoded",
    [("张伟/作业 喆.ipynb", "gbk"), ("张伟/é.ipynb", "utf-8"), ("Jürgen Müller/ß.ipynb", "cp437")],
)
def test_names_in_zips_of_chinese_windows_are_read(name, encoded, tmp_path):
    """Explorer packs names in its own encoding, and does not say so; two bytes of another language stay as they are."""
    written = name.encode(encoded)
    path = pack(tmp_path / "class.zip", {"?" * len(written): ADA, f"bob/{NAME}": BOB})
    path.write_bytes(path.read_bytes().replace(b"?" * len(written), written))
    assert chosen(planned(path))[name.partition("/")[0]] == {"00": [name]}


@pytest.mark.parametrize(
    "ada, bob, encoding",
    [
        ("山田太郎", "佐藤花子", "cp932"), ("許大文", "李小明", "big5"), ("김민준", "이서연", "cp949"),
        ("José Núñez", "Jürgen Müller", "cp1252"), ("Иван Иванов", "Мария Ким", "cp866"),
    ],
)  # fmt: skip
def test_a_roster_tells_in_what_encoding_a_zip_writes_its_names(ada, bob, encoding, tmp_path):
    """Also where a byte of a sign is a backslash: two students are no one, and no folder of another name."""
    written = [f"{name}/{NAME}".encode(encoding) for name in (ada, bob)]
    path = pack(tmp_path / "class.zip", dict(zip(("?" * len(written[0]), "*" * len(written[1])), (ADA, BOB))))
    packed = path.read_bytes()
    for sign, name in zip((b"?", b"*"), written):
        packed = packed.replace(sign * len(name), name)
    path.write_bytes(packed)
    made = planned(path, roster=of_tables([("r.csv", f"name,login\n{ada},a\n{bob},b\nCyd,c\n".encode())]))
    assert chosen(made) == {ada: {"00": [f"{ada}/{NAME}"]}, bob: {"00": [f"{bob}/{NAME}"]}}
    assert made.doubts == [] and made.unlisted == []


def known(made, roster):
    """{student: the key of the one person of a roster}, of those who are in it."""
    found = {key: roster.find_any((key, *each.names)) for key, each in made.students.items()}
    return {key: people[0].key for key, people in found.items() if len(people) == 1}


def test_a_roster_knows_whom_moodle_names_behind_a_group(tmp_path):
    """Where each name has a hyphen; a part of a double-barrelled name is nobody else's, and one word is no login."""
    table = of_tables([("r.csv", "name,email\nAda Lovelace,a@x\nAnne-Marie Bo,m@x\n张伟,w@x\nMarie Bo,n@x\n".encode())])
    who = ("Group A-Ada Lovelace_1", "Lab-2-Anne-Marie Bo_2", "第一组-张伟_3", "Lab-2-Max Marie Bo_4", "Group A-m_5")
    files = {f"{name}_assignsubmission_file_/{NAME}": ADA for name in who}
    made = planned(write(tmp_path / "a", files), roster=table)
    assert known(made, table) == dict(zip(who, ("a@x", "m@x", "w@x")))
    (told,) = [line for _, line in plan.lines(made) if "grading worksheet" in line]
    assert made.doubts == [] and "column Identifier" in told
    alone = planned(write(tmp_path / "b", {**files, f"Bob_6_assignsubmission_file_/{NAME}": BOB}), roster=table)
    assert known(alone, table) == {}  # no groups, as Bob has none
    sheet = of_tables([("sheet.csv", b"Identifier,Full name\nParticipant 1,Ada Lovelace\nParticipant 5,Bob\n")])
    assert known(planned(tmp_path / "a", roster=sheet), sheet) == {who[0]: "Ada Lovelace", who[4]: "Bob"}


@pytest.mark.parametrize("branch", ["", "-main"])
def test_a_roster_knows_repositories_by_what_follows_the_assignment(branch, tmp_path):
    """As login, address or name; else a sentence says which column is missing, and where GitHub Classroom has it."""
    table = of_tables([("r.csv", b"name,email\nAda Lovelace,a@x\nBob King,bob-k@x\nLuc Bo,luc@x\n")])
    who = ("one-row-adalovelace", "one-row-bob-k", "one-row-jean-luc")
    files = {f"{each}{branch}/notebooks/{NAME}": ADA for each in who}
    made = planned(write(tmp_path / "a", files), roster=table)
    assert known(made, table) == {f"{who[0]}{branch}": "a@x", f"{who[1]}{branch}": "bob-k@x"}
    assert made.doubts == [] and any("github_username" in line for _, line in plan.lines(made))
    strangers = {f"one-row-{each}{branch}/notebooks/{NAME}": ADA for each in ("q1", "q2")}
    none, column = planned(write(tmp_path / "b", strangers), roster=table).doubts
    assert "none of these students" in none and "classroom_roster.csv" in column
    table = of_tables([("r.csv", b"name,email,github_username\nAda Lovelace,a@x,q1\n")])
    assert planned(tmp_path / "b", roster=table).doubts == []


def test_a_roster_knows_names_beside_what_programs_and_mail_add(tmp_path):
    """A copy's mark, an address, a whole name between words, of one person; two names, or one word, may be anybody."""
    people = "name,email\nAda Lovelace,ada@x.org\nBob King,bob@x.org\n李娜,li@x.org\n王芳,wf@x.org\nEve,eve@x.org\n"
    table = of_tables([("r.csv", people.encode())])
    names = {
        "Ada Lovelace <ada@x.org>": "ada@x.org", "bob@x.org - hw": "bob@x.org", "李娜 - 副本": "li@x.org",
        "RE_ homework - 王芳": "wf@x.org", "Ada Lovelace_Bob King": None, "my_eve": None, "hw_Ada": None,
        "Bob King <li@x.org>": None,
    }  # fmt: skip
    made = planned(write(tmp_path / "a", {f"{name}/{NAME}": ADA for name in names}), roster=table)
    assert known(made, table) == {name: key for name, key in names.items() if key}
    files = {"王芳 副本 2.ipynb": ADA, "Bob King copy 2.ipynb": BOB, "hw_Ada Lovelace.ipynb": CYD}
    made = planned(write(tmp_path / "b", files), roster=table)
    assert set(known(made, table).values()) == {"wf@x.org", "bob@x.org", "ada@x.org"}
    (doubt,) = planned(write(tmp_path / "b", {"王芳.ipynb": work("x + 9")}), roster=table).doubts
    assert "has several different notebooks of lesson 00" in doubt  # a copy may be of another one of this name


def test_two_of_one_name_in_the_roster_are_named_with_what_tells_them_apart(tmp_path):
    """And the folder that has it is known: nobody is told that the roster is of another class."""
    table = of_tables([("r.csv", b"name,id number\nAda L,1001\nAda L,1002\n")])
    made = planned(write(tmp_path / "a", {f"Ada L/{NAME}": ADA, f"Ada L (2)/{NAME}": BOB}), roster=table)
    assert not any("roster has none" in doubt for doubt in made.doubts)
    told = [line for _, line in plan.lines(made)]
    assert any(line.startswith("Ada L may be Ada L (1001), Ada L (1002). Give the file or the folder") for line in told)
    better = planned(write(tmp_path / "b", {f"Ada L (1001)/{NAME}": ADA, f"1002/{NAME}": BOB}), roster=table)
    assert known(better, table) == {"Ada L (1001)": "1001", "1002": "1002"} and better.doubts == better.unlisted == []


def test_an_anonymous_file_is_late_and_its_attempts_are_of_one(tmp_path):
    """Though the file's own name begins with a number, as those of the course do."""
    info = file_names.read(f"LATE_anon_aB3dE_9003_{NAME[:-6]}-1.ipynb")
    assert (info.student, info.late, info.attempt, info.lesson) == ("anon_aB3dE", True, (1, 9003), "00")
    assert info.canvas is None


def test_what_is_said_of_a_name_is_said_of_no_other_file_with_these_bytes(tmp_path):
    """Two students handed in one file, one of them as text."""
    files = {f"ada_1_11_{NAME[:-6]}.txt": ADA, "bob_2_12_00.ipynb": ADA}
    told = planned(write(tmp_path, files), contents_of=grading.contents_of).for_a_person
    assert told == [f"ada_1: ada_1_11_{NAME[:-6]}.txt: its name ends in .txt: it was read as a notebook"]


def test_without_a_roster_who_may_be_one_is_listed_and_stays_two(tmp_path):
    """Nothing is merged, and nothing stops."""
    write(tmp_path, {f"canvas/lovelaceada_7_11_{NAME}": ADA, f"canvas/bobo_8_12_{NAME}": BOB})
    write(tmp_path, {"moodle/Ada Lovelace_3_assignsubmission_file_/04_one_row.ipynb": one_row("return 1")})
    made = planned(tmp_path / "canvas", tmp_path / "moodle")
    assert set(chosen(made)) == {"lovelaceada_7", "bobo_8", "Ada Lovelace_3"} and made.doubts == []
    (told,) = made.for_a_person
    assert told == "these may be one student under several names: Ada Lovelace_3, lovelaceada_7"
    assert (1, "Ada Lovelace_3, lovelaceada_7") in plan.lines(made)
    table = of_tables([("class.csv", b"name,id\nAda Lovelace,7\nBob O,8\n")])
    assert planned(tmp_path / "canvas", tmp_path / "moodle", roster=table).perhaps_one == []


# ---- plans that look wrong


DOUBTS = {
    "notebooks of nobody": (
        {f"Copy of {NAME}": ADA, f"Copy of {NAME[:-6]} (1).ipynb": BOB, f"cyd/{NAME}": CYD},
        "bear no student's name: Copy of 00_check_your_bench (1), Copy of 00_check_your_bench",
    ),
    "a part that cannot be opened": (
        {
            "c-20261122T101500Z-001.zip": {f"c/ada/{NAME}": ADA, f"c/bob/{NAME}": BOB},
            "c-20261122T101500Z-002.zip": b"PK\3\4 cut off",
        },
        "beside the class lies c-20261122T101500Z-002.zip, which may be a part of it: it is no whole zip file",
    ),
    "a part of Drive's that is missing": (
        {
            "c-20261122T101500Z-002.zip": {f"c/ada/{NAME}": ADA, f"c/bob/{NAME}": BOB},
            "c-20261122T101500Z-004.zip": {f"c/cyd/{NAME}": CYD},
        },
        "Google Drive packed c-20261122T101500Z in parts, and of these are missing: 001, 003. Download them",
    ),
    "a class in an archive that is not opened": (
        {"class.rar": "Rar!"}, "nothing here can be graded: no file of 1 student is a notebook",
    ),
    "a class without a notebook": (
        {f"{who}/x.pdf": "%PDF" for who in LOGINS}, "nothing here can be graded: no file of 3 students is a notebook",
    ),
    "names that programs give": (
        {
            "Archive.zip": {f"ada/{NAME}": ADA}, "Archive 2.zip": {f"bob/{NAME}": BOB}, f"cyd/{NAME}": CYD,
            "homework.zip": {NAME: work("2.0 * x")}, "Untitled1.ipynb": work("x + x + 0"),
        },
        "these bear no student's name: Archive 2, Archive, Untitled1, homework.",
    ),
    "an archive that is not opened": (
        {f"c/ada/{NAME}": ADA, f"c/bob/{NAME}": BOB, f"c/cyd/{NAME}": CYD, "more.rar": "Rar!"},
        "beside the class lies more.rar, which may be a part of it",
    ),
    "one student, twice": (
        {f"ada/{NAME}": ADA, "ada (1).zip": {f"ada/{NAME}": BOB}, f"cyd/{NAME}": CYD, "Eve (101).ipynb": ADA,
         "Eve (102).ipynb": BOB},
        "one student under several names: ada, ada (1)",
    ),
    "a file for each, of one name": (
        {f"Ada L - {NAME}": ADA, f"Ada L - {NAME[:-6]} (1).ipynb": BOB, f"Cyd - {NAME}": CYD},
        "“Ada L” has several different notebooks of lesson 00",
    ),
    "a copy of Colab's in Chinese": (
        {f"“{NAME}”的副本.ipynb": ADA, f"bob/{NAME}": BOB}, "bear no student's name: “00_check_your_bench",
    ),
    "one student, spelled in two ways": (
        {f"Ada Lovelace/{NAME}": ADA, f"lovelace, ada/{NAME}": BOB, f"Wei Zhang/{NAME}": CYD, f"Zhang Wei/{NAME}": ADA},
        "one student under several names: Ada Lovelace, lovelace, ada",
    ),
    "very many notebooks of one": (
        {"ada_1_11_x.zip": {f"{n}.ipynb": work(f"{n} * x") for n in range(11)}, f"bob_2_13_{NAME}": BOB},
        "several different notebooks",
    ),
    "several notebooks, by hand": (
        {f"x/{NAME}": ADA, "x/mine.ipynb": BOB, f"y/{NAME}": CYD}, "several different notebooks",
    ),
    "one folder beside Gradescope's export": (
        GRADESCOPE | {f"late/{NAME}": CYD}, "“late” would be one student, whose folder lies beside assignment_5_export",
    ),
    "Gradescope's export without its list": (
        {f"assignment_5_export/submission_{n}/{NAME}": text for n, text in ((1, ADA), (2, BOB))},
        "is Gradescope's export, and its submission_metadata.yml, which names the students, is missing",
    ),
    "one folder beside nbgrader's": (
        {
            f"submitted/ada/ps1/{NAME}": ADA, "submitted/ada/ps1/timestamp.txt": "2026-11-22 10:15:00 UTC",
            f"extra/{NAME}": BOB, f"release/ps1/{NAME}": BLANK, "feedback/ada/ps1/00.html": "x",
        },
        "“extra” would be one student, whose folder lies beside submitted",
    ),
    "a class zip that was cut off": (
        {"class.zip": b"PK\3\4 cut off", "readme.txt": "x"}, "perhaps a whole class: class.zip",
    ),
    "a class zip that was cut off, beside a student": (
        {"class.zip": b"PK\3\4 cut off", f"ada/{NAME}": ADA}, "perhaps a whole class: class.zip",
    ),
    "a class zip beside Canvas' files": (
        {"more.zip": {f"ada/{NAME}": ADA, f"bob/{NAME}": BOB}, f"cyd_1_11_{NAME}": CYD}, "looks like several: ada, bob",
    ),
    "a piece of work beside students": (
        {f"hw0/{NAME}": ADA, f"ada/{NAME}": BOB, f"bob/{NAME}": CYD}, "bear no student's name: hw0.",
    ),
    "a file that names a piece of work": (
        {"hw0.ipynb": ADA, "ada.ipynb": BOB, "bob.ipynb": CYD}, "bear no student's name: hw0.",
    ),
    "two files of one name and piece": (
        {"ada_hw0.ipynb": ADA, "ada_hw0 (1).ipynb": BOB, "bob_hw0.ipynb": CYD},
        "“ada” has several different notebooks of lesson 00",
    ),
    "one lesson in two weeks": (
        {f"{week}/{who}/{NAME}": ADA for week in ("week 1", "week 2") for who in ("ada", "bob")},
        "each of these has files for lesson 00 in several places, week 1/, week 2/: ada, bob. Is each name one",
    ),
    "a class in a student": (
        {f"Mon/ada/{NAME}": ADA, f"Mon/bob/{NAME}": BOB, f"cyd/{NAME}": CYD}, "looks like several: ada, bob",
    ),
    "a download among students": (
        {f"c/a_1_11_{NAME}": ADA, f"c/b_2_12_{NAME}": BOB, f"cyd/{NAME}": CYD},
        "“cyd” would be one student, whose folder lies beside c, a download of a platform",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DOUBTS)
def test_a_plan_that_looks_wrong_says_so(case, tmp_path):
    """With names, so that a person can tell."""
    files, says = DOUBTS[case]
    (doubt,) = planned(write(tmp_path, packed(files)), contents_of=grading.contents_of).doubts
    assert says in doubt


SINGLE = {
    "names of files that differ": ["c/ada/a.ipynb", "c/bob/b.ipynb"],
    "one notebook among documents": [f"c/ada/{NAME}", "c/bob/x.pdf", "c/cyd/x.docx"],
    "a zip of files": ["c/ada.ipynb", "c/bob.ipynb"],
    "numbered files": ["c/student_1.ipynb", "c/student_2.ipynb"],
    "weeks": [f"c/week {n}/{who}/{n}.ipynb" for who in LOGINS for n in (1, 2)],
    "files in a folder of the homework": ["hw4/ada.ipynb", "hw4/bob.ipynb"],
    "documents in a folder of the homework": ["hw4/ada.ipynb", "hw4/bob.pdf", "hw4/cyd.docx"],
    "weeks of different students": [f"c/week {n}/{who}/{n}.ipynb" for n, who in enumerate(LOGINS)],
}


@pytest.mark.parametrize("case", SINGLE)
def test_a_class_that_became_one_student_stops(case, tmp_path):
    """Also where all answers are equal; --one-student says that it is one."""
    write(tmp_path, dict.fromkeys(SINGLE[case], ADA))
    made = planned(tmp_path)
    (one,) = made.students
    assert any(f"of one student, “{one}”, and looks like several" in doubt for doubt in made.doubts)
    assert submissions.look(tmp_path, one_student=True).doubts == []


@pytest.mark.parametrize(
    "names", [["c/part 1/a.ipynb", "c/part 2/b.ipynb"], [f"c/{NAME}", "c/mine.ipynb"], ["c/a.ipynb", "c/figures/x.png"]]
)
def test_one_student_is_not_taken_for_a_class(names, tmp_path):
    """Parts, a notebook beside that of the course, and pictures."""
    assert planned(write(tmp_path, dict.fromkeys(names, ADA))).doubts == []


ONE = {
    "a folder for the homework": {"hw/deep/x.ipynb": ADA},
    "a report beside": {f"hw/{NAME}": ADA, "hw/x/04_one_row.ipynb": one_row("1"), "hw/report.pdf": "%PDF"},
    "weeks of different notebooks": {f"week 1/{NAME}": ADA, "week 2/x.ipynb": one_row("1")},
    "files called as pieces": {"hw0.ipynb": ADA, "hw4.ipynb": one_row("1")},
    "in Chinese": {f"作业0/{NAME}": ADA, "作业4/mine.ipynb": one_row("1")},
}


@pytest.mark.parametrize("case", ONE)
@pytest.mark.parametrize("packs", [False, True])
def test_what_names_nobody_is_of_the_folder_or_zip_that_was_given(case, packs, tmp_path):
    """A student's own folders say nothing, whatever they are called."""
    made = planned(pack(tmp_path / "lovelace.zip", ONE[case]) if packs else write(tmp_path / "lovelace", ONE[case]))
    assert list(made.students) == ["lovelace"] and made.doubts == []
    assert len(chosen(made)["lovelace"]) == sum(name.endswith(".ipynb") for name in ONE[case])


def test_a_name_that_may_hold_two_persons_stays_whole(tmp_path):
    """So does one with a number alone; sections are not joined as weeks are, and two zips that hold hw/ stay two."""
    names = ("ada_hw0_king", "ada_hw4_lovelace", "bob-00", "bob-04", "hw4b_cyd")
    assert set(planned(write(tmp_path / "a", {f"{name}.ipynb": ADA for name in names})).students) == {*names}
    clones = {f"hw1-{who}/{name}": ADA for who in LOGINS for name in (".git/HEAD", f"notebooks/{NAME}")}
    assert set(planned(write(tmp_path / "b", clones)).students) == {f"hw1-{who}" for who in LOGINS}
    sections = {f"group {n}/{who}/{NAME}": ADA for n in (1, 2) for who in ("ada", "bob")}
    doubts = planned(write(tmp_path / "c", sections)).doubts
    assert len(doubts) == 2 and all("looks like several: ada, bob" in each for each in doubts)
    zips = [pack(tmp_path / f"{who}.zip", {f"hw/{NAME}": text}) for who, text in (("ada", ADA), ("bob", BOB))]
    assert chosen(planned(*zips)) == of_00({who: f"{who}.zip/hw/{NAME}" for who in ("ada", "bob")})


def test_what_only_a_number_tells_apart_is_perhaps_one_where_no_lesson_is_there_twice(tmp_path):
    """A number may be a lesson's or a student's: nobody is joined, and the plan says who may be one."""
    write(tmp_path, {"bob-00.ipynb": BOB, "bob-04.ipynb": one_row("1")})
    write(tmp_path, {f"student_{n}.ipynb": work(f"{n} * x") for n in (1, 2, 3)})
    assert planned(tmp_path).perhaps_one == [["bob-00", "bob-04"]]


@pytest.mark.parametrize("called", ["{}_王五", "L{}-ada"])
def test_a_number_before_a_name_is_read_as_one_behind_it(tmp_path, called):
    """Two such files of one lesson are of two students."""
    names = [called.format(number) for number in ("00", "04")]
    for texts, groups in (((ADA, BLANK_04), [names]), ((ADA, BOB), [])):
        files = {f"{name}.ipynb": text for name, text in zip(names, texts)}
        assert planned(write(tmp_path, files)).perhaps_one == groups


def test_files_that_are_named_one_by_one_are_of_those_they_name(tmp_path):
    """As a shell names them: subs/*.ipynb."""
    write(
        tmp_path, {"ada_hw0.ipynb": ADA, "ada_hw4.ipynb": one_row("1"), "bob_hw0.ipynb": BOB, "x_1_11_hw0.ipynb": CYD}
    )
    made = planned(*sorted(tmp_path.iterdir()))
    assert {key: set(of) for key, of in chosen(made).items()} == {"ada": {"00", "04"}, "bob": {"00"}, "x_1": {"00"}}
    assert made.students["ada"].names == ("ada_hw0", "ada_hw4") and made.doubts == []
    assert planned(*sorted(tmp_path.iterdir()), before=["ada_hw0", "ada_hw4"]).doubts == []


def test_namesakes_with_equal_answers_are_named(tmp_path):
    """One name on two files beside those of others: a person looks, and a roster with two of the name stops."""
    first, second = f"Ada - {NAME}", f"Ada - {NAME[:-6]} (1).ipynb"
    write(tmp_path, {first: ADA, second: ADA, f"Bob - {NAME}": BOB})
    made = planned(tmp_path)
    (told,) = made.for_a_person
    assert (
        told == "Ada: lesson 00: files with the same answers, of one student or of two of one name: one of them counts"
    )
    assert made.doubts == [] and chosen(made) == of_00({"Ada": first, "Bob": f"Bob - {NAME}"})
    made = planned(tmp_path, roster=of_tables([("class.csv", b"name,id\nAda,7\nBob,9\n")]))
    assert made.doubts == made.for_a_person == []
    (doubt,) = planned(tmp_path, roster=of_tables([("class.csv", b"name,id\nAda,7\nAda,8\nBob,9\n")])).doubts
    assert f"the roster has 2 of this name: {first}, {second}. Give each student a folder" in doubt
    own = {f"ada/{NAME}": ADA, f"ada/{NAME[:-6]} (1).ipynb": ADA, f"bob/{NAME}": BOB}
    assert planned(write(tmp_path / "own", own)).for_a_person == []


def test_a_module_beside_an_answer_in_python_is_no_submission(tmp_path):
    """One called as a lesson is meant as one, whatever is in it. What holds an answer counts."""
    right, helper = "# %%\ndef double(x):\n    return 2 * x\n", "def f(x):\n    return x\n"
    files = {"ada/answer.py": right, "ada/helper.py": helper, "ada/04_one_row.py": "", "bob/helper.py": helper}
    made = planned(write(tmp_path, files | {"cyd/a.py": right, "cyd/b.py": right.replace("2 * x", "x + x")}))
    assert list(made.left_out) == ["ada/helper.py"] and list(made.students["ada"].unread) == ["ada/04_one_row.py"]
    assert list(made.students["bob"].unread) == ["bob/helper.py"]
    assert sorted(chosen(made)["cyd"]["00"]) == ["cyd/a.py", "cyd/b.py"]


def test_a_name_in_two_places_may_be_two_students(tmp_path):
    """Also where their answers are equal. Other lessons are no doubt, nor is a name that a roster knows."""
    write(tmp_path, {f"{day}/ada/{NAME}": ADA for day in ("mon", "tue")} | {f"tue/bob/{NAME}": BOB})
    write(tmp_path, {"wed/ada/04_one_row.ipynb": one_row("return 1")})
    (doubt,) = planned(tmp_path / "mon", tmp_path / "tue").doubts
    assert doubt.startswith("“ada” has files for lesson 00 in several places: mon/, tue/.")
    assert planned(tmp_path / "mon", tmp_path / "wed").doubts == []
    roster = of_tables([("class.csv", b"login,name\nada,Ada\nbob,Bob\n")])
    assert planned(tmp_path / "mon", tmp_path / "tue", roster=roster).doubts == []
    write(tmp_path, {f"{n}/Submitted files/Ada L/x/Version 1/{NAME}": ADA for n in "12"})
    assert "in several places: 1/, 2/" in planned(tmp_path / "1", tmp_path / "2").doubts[0]


@pytest.mark.parametrize("place", ["{}/", "submissions/{}_", "{}_"])
def test_a_class_in_a_copy_of_the_course_is_no_single_student(place, tmp_path):
    """Who grades in the folder of the course has the class in it; a copy with one answer is one student's."""
    course = {f"notebooks/{NAME}": BLANK, "grader/lessons.py": "x"}
    files = {place.format(who) + NAME: text for who, text in (("ada", ADA), ("bob", BOB))}
    (doubt,) = planned(write(tmp_path / "course", course | files)).doubts
    assert "Are they of one student?" in doubt and all(name in doubt for name in files)
    write(tmp_path / "ada", course | {f"notebooks/{NAME}": ADA})
    assert planned(tmp_path / "ada").doubts == []
    shutil.move(tmp_path / "course", tmp_path / "class" / "eve")
    shutil.move(tmp_path / "ada", tmp_path / "class" / "ada")
    assert planned(tmp_path / "class").doubts == []  # repositories, each of one student


@pytest.mark.parametrize("late", [1, 2])
def test_of_two_submissions_on_gradescope_the_later_one_counts(late, tmp_path):
    """As of somebody who is in two groups: the export says when each was handed in."""
    one = "submission_{n}:\n  :submitters:\n  - :name: Ada\n    :email: a@x\n  :created_at: 2026-11-2{n} 10:15:00 Z\n"
    times = "".join(one.format(n=n) for n in (1, 2)).replace(f"2026-11-2{late}", "2026-12-01")
    files = {f"submission_{n}/{NAME}": text for n, text in ((1, ADA), (2, BOB))}
    made = planned(write(tmp_path, {"submission_metadata.yml": times} | files))
    assert chosen(made) == {"Ada_a@x": {"00": [f"submission_{late}/{NAME}"]}}


@pytest.mark.parametrize("name", [f"onlinetext{sign}onlinetext.html" for sign in ("_/", "/", "_")])
def test_what_was_typed_in_moodle_is_no_notebook(name, tmp_path):
    """Of several versions, in folders and without."""
    files = {f"Ada_1_assignsubmission_{name}": "<p>x</p>", f"Bob_2_assignsubmission_file_/{NAME}": BOB}
    made = planned(write(tmp_path, files))
    assert any("typed or linked on the platform" in line for _, line in plan.lines(made))


def test_a_students_broken_zip_beside_a_whole_download_is_the_students(tmp_path):
    """Given as two paths, of which one is a zip."""
    pack(tmp_path / "class.zip", {f"bob/{NAME}": BOB, f"cyd/{NAME}": CYD})
    write(tmp_path / "more", {"ada.zip": _zip({NAME: ADA})[:-30], f"dan/{NAME}": ADA})
    made = planned(tmp_path / "class.zip", tmp_path / "more", contents_of=grading.contents_of)
    assert made.doubts == [] and "more/ada.zip" in made.students["ada"].unread


def test_an_assignment_that_asks_for_what_nobody_has_stops(tmp_path):
    """As after a slip in its lessons. One file of a lesson is enough; a single student is no class."""
    write(tmp_path, {f"ada/{NAME}": ADA, f"bob/{NAME}": BOB})
    (doubt,) = planned(tmp_path, asked={"04", "05"}).doubts
    assert doubt.startswith("nobody has a file for lesson 04, 05, which the assignment asks for; there are files for ")
    assert planned(tmp_path / "ada", asked={"04"}).doubts == planned(tmp_path, asked={"00", "04"}).doubts == []


def test_a_roster_of_another_class_stops(tmp_path):
    """One student whom it knows is enough."""
    write(tmp_path, {f"ada/{NAME}": ADA, f"bob/{NAME}": BOB})
    (doubt,) = planned(tmp_path, roster=of_tables([("class.csv", b"name,login\nCyd King,cyd\n")])).doubts
    assert doubt.startswith("the roster has none of these students: ada, bob. Is it the roster of this class?")
    roster = of_tables([("class.csv", b"name,login\nCyd King,cyd\nBob Hope,bob\n")])
    assert planned(tmp_path, roster=roster).doubts == planned(tmp_path / "ada", roster=roster).doubts == []


def test_what_a_single_student_hands_in_is_no_class(tmp_path):
    """Also where it is an archive of another kind, if somebody says so."""
    write(tmp_path, {"ada.7z": "7z"})
    assert planned(tmp_path).doubts != []
    found = submissions.find_all([tmp_path], one_student=True)
    made = plan.make(found, lambda files: [contents.Contents() for _ in files], Roster())
    assert made.doubts == [] and len(made.students) == 1


def test_names_in_a_zip_may_begin_with_a_dot_or_a_slash(tmp_path):
    """As some programs write them: what a platform keeps beside the files is found all the same."""
    for start in ("./", "/", ".//./"):
        files = {f"{start}{name}": text for name, text in (*GRADESCOPE.items(), ("", ""))}
        made = planned(pack(tmp_path / "class.zip", files))
        assert set(made.students) == {"Ada Lovelace_101", "Bob O'Neill_bob@example.edu", "Cyd_103"} and not made.doubts
    stamped = {f"./submitted/ada/{n}/{name}": text for n, name, text in (
        ("a", NAME, work("0")), ("a", "timestamp.txt", "2026-11-22 10:15:00 UTC"),
        ("b", NAME, ADA), ("b", "timestamp.txt", "2026-11-22 11:15:00 UTC"),
    )}  # fmt: skip
    assert chosen(planned(pack(tmp_path / "nb.zip", stamped))) == of_00({"ada": f"submitted/ada/b/{NAME}"})


def test_nothing_that_was_handed_in_is_left_unnamed(tmp_path):
    """Folders without files, in zips too and as a platform names them; all files, and whole folders as such."""
    files = {f"ada/{NAME}": ADA, "bob/": "", "cyd/.DS_Store": "x", f"dan/{NAME}": BOB}
    made = planned(pack(tmp_path / "class.zip", files))
    assert made.left_out == dict.fromkeys(["bob", "cyd"], "a folder without files")
    write(tmp_path / "canvas", {f"ada_1_11_{NAME}": ADA, "Bob_2_assignsubmission_file_/.hidden": "x"})
    assert list(planned(tmp_path / "canvas").left_out) == ["Bob_2_assignsubmission_file_"]
    export = {name: text for name, text in GRADESCOPE.items() if "submission_12" not in name}
    made = planned(write(tmp_path / "gradescope", export))
    of = "a folder without files, of Bob O'Neill_bob@example.edu, Cyd_103"
    assert made.left_out["assignment_5_export/submission_12"] == of

    course = {f"ada/grader/{n}.py": "x = 1" for n in range(9)} | {f"ada/notebooks/{NAME}": ADA}
    told = planned(write(tmp_path / "clones", course | {f"bob/{n}.png": "x" for n in range(13)} | {f"bob/{NAME}": BOB}))
    lines = [line for _, line in plan.lines(told)]
    assert "it is a file of the course: ada/grader/ (9 files)" in lines
    assert all(any(f"bob/{n}.png" in line for line in lines) for n in range(13))


@pytest.mark.parametrize("zipped", [False, True])
def test_a_folder_with_nothing_but_what_programs_keep_is_named_with_it(tmp_path, zipped):
    """A student may have dropped the work there. Beside other work nothing needs to be said."""
    files = {"ada/.vscode/" + NAME: ADA, f"bob/node_modules/a/{NAME}": BOB, f"cyd/{NAME}": CYD}
    files |= {f"cyd/.vscode/{NAME}": ADA, ".idea/x.xml": "x", "dan/deep/__MACOSX/._x": "x"}
    made = planned(pack(tmp_path / "class.zip", files) if zipped else write(tmp_path / "class", files))
    assert {name: why.values["name"] for name, why in made.left_out.items()} == {
        "ada": ".vscode", "bob": "node_modules", "dan": "deep/__MACOSX",
    }  # fmt: skip
    assert chosen(made) == of_00({"cyd": f"cyd/{NAME}"})


def test_a_hidden_archive_is_a_hand_in(tmp_path):
    """Of a kind that is opened, or not."""
    write(tmp_path, {".ada.rar": "x", f"bob/{NAME}": BOB, "cyd/.work.7z": "x"})
    pack(tmp_path / ".dan.zip", {NAME: ADA})
    made = planned(tmp_path)
    assert {who: [*each.unread] for who, each in made.students.items() if each.unread} == {
        ".ada": [".ada.rar"], "cyd": ["cyd/.work.7z"],
    }  # fmt: skip
    assert [*made.students] == [".ada", ".dan", "bob", "cyd"]


def test_who_handed_in_no_notebook_is_a_student(tmp_path):
    """Among files of which each is a whole hand-in. Notes beside them are of whoever grades."""
    files = {"ada.ipynb": ADA, "ada.pdf": "%PDF", "bob.ipynb": BOB, "cyd.docx": "x", "dan.jpg": "x"}
    made = planned(write(tmp_path, files | {"readme.md": "x", "grades.csv": "x"}))
    assert chosen(made) == of_00({"ada": "ada.ipynb", "bob": "bob.ipynb"}) | {"cyd": {}, "dan": {}}
    assert "it is no notebook" in made.students["dan"].unread["dan.jpg"]
    assert set(made.left_out) == {"ada.pdf", "readme.md", "grades.csv"}


def test_the_name_of_a_file_is_its_students_whole_name(tmp_path):
    """Also with dots in it, as in an address: two who share the part before the dot stay two."""
    names = ("ada.king", "ada.lovelace", "eve@example.edu", "dan.v2")
    made = planned(write(tmp_path, {f"{name}.ipynb": ADA for name in names} | {"bob.smith.pdf": "%PDF"}))
    assert chosen(made) == of_00({name: f"{name}.ipynb" for name in names}) | {"bob.smith": {}}


def test_many_lessons_are_one_range(tmp_path):
    """In the line about the class and in that of a student; one that is missing ends a range."""
    made = planned(write(tmp_path, {
        f"ada/{path.name}": path.read_bytes() for path in (ROOT / "solutions").glob("*.ipynb") if path.name[:2] != "07"
    } | {f"bob/{NAME}": BOB}))  # fmt: skip
    lines = [line for _, line in plan.lines(made)]
    assert "Lessons: 00–06, 08–17." in lines[0]
    assert "ada: lessons 00–06 from ada/; lessons 08–17 from ada/" in lines


def test_students_stand_in_the_order_of_their_names(tmp_path):
    """Whatever the order of files in a zip is."""
    made = planned(pack(tmp_path / "class.zip", {f"{who}/{NAME}": ADA for who in ("cyd", "Bob", "ada")}))
    assert [line.partition(":")[0] for depth, line in plan.lines(made) if depth == 1] == ["ada", "Bob", "cyd"]


def test_an_empty_folder_among_those_of_students_is_named(tmp_path):
    """Also a folder further down; what lies beside a student's files is part of the work, and says nothing."""
    write(tmp_path / "in" / "class", {f"ada/{NAME}": ADA, f"bob/{NAME}": BOB})
    for name in ("class/cyd/nothing", "class/ada/results", "class/.idea/refs", "class/out"):
        (tmp_path / "in" / name).mkdir(parents=True)
    found = submissions.find_all([tmp_path / "in"], tmp_path / "in/class/out")

    assert {"class/cyd": "a folder without files"} == found.aside
    assert {file.student for file in found.files} == {"ada", "bob"}


def test_an_empty_folder_is_named_beside_a_list_of_the_class_too(tmp_path):
    """Beside a student's own files it is a part of the work."""
    write(tmp_path, {f"ada/{NAME}": ADA, f"bob/{NAME}": BOB, "list.csv": "x", "syllabus.pdf": "%PDF"})
    (tmp_path / "cyd" / "deep").mkdir(parents=True)
    (tmp_path / "ada" / "figures").mkdir()
    made = planned(tmp_path)
    assert [name for name, why in made.left_out.items() if why == "a folder without files"] == ["cyd"]


def test_the_courses_solutions_beside_a_download_stop_nothing(tmp_path):
    """Work in a folder of this name does."""
    files = {"c.zip": {f"a_1_11_{NAME}": ADA, f"b_2_12_{NAME}": BOB}, f"solutions/{NAME}": SOLUTION, "readme.md": "x"}
    made = planned(write(tmp_path, packed(files)))
    assert {*made.students} == {"a_1", "b_2"} and made.doubts == []
    (doubt,) = planned(write(tmp_path, {f"solutions/{NAME}": CYD})).doubts
    assert doubt.startswith("these bear no student's name: solutions.")


def test_a_students_archive_is_called_as_the_student(tmp_path):
    """Whatever its kind is, so that a roster knows the student."""
    made = planned(write(tmp_path, {"dan.tar.gz": "x", "eve.7z": "x", "fay.tgz": "x", f"ada/{NAME}": ADA}))
    assert {"dan", "eve", "fay", "ada"} == {*made.students}


def test_a_class_that_shrinks_and_students_who_are_missing(tmp_path):
    """By the names of the last plan, and by a roster, which may know a student by another name."""
    write(tmp_path / "in", {f"Ada_1_assignsubmission_file_/{NAME}": ADA, f"Bob_2_assignsubmission_file_/{NAME}": BOB})
    table = b"Student,ID,SIS User ID,SIS Login ID,Section\nADA,1,,,A\nBob,2,,bob_2,A\nCyd,3,,,A\n"
    made = planned(tmp_path / "in", roster=of_tables([("class.csv", table)]), before=["Ada_1", "Eve_9"])
    assert [each.name for each in made.missing] == ["Cyd"]
    (doubt,) = made.doubts
    assert doubt.startswith("the last run into these results had 1 more: Eve_9. Is a part of the class missing?")
    assert planned(tmp_path / "in", before=["Ada_1"]).doubts == []

    plan.store(made, tmp_path)
    assert plan.students_of(tmp_path) == ["Ada_1", "Bob_2"] and plan.stored(tmp_path)["missing"][0]["name"] == "Cyd"
    (tmp_path / plan.FILE).write_text("[1")
    assert plan.students_of(tmp_path) == [] == plan.students_of(tmp_path / "nowhere")


def test_the_command_prints_a_plan_and_stops_where_it_looks_wrong(tmp_path, capsys, monkeypatch):
    """Exit status 4, and nothing is written; --yes goes on, judges all candidates, and the best counts."""
    import contextlib

    from test_platforms import Judges

    from grader.classroom import executors, results_store
    from grader.export import entries

    judges = Judges()
    monkeypatch.setattr(executors, "local", lambda *_: contextlib.nullcontext(judges.grading_executor()))
    files = {"ada/00.ipynb": work("2 * x"), "ada/mine.ipynb": work("x"), f"bob/{NAME}": BOB, f"bob/zh/{NAME}": TWIN}
    files["bob/notes.txt"] = "my notes"
    folder, out = write(tmp_path / "class", files), tmp_path / "out"

    assert main(["grade", "--plan", str(folder), "--out", str(out)]) == 4
    said = capsys.readouterr()
    assert "Plan. Students: 2. Files: 3. Lessons: 00. Layout: a folder or a zip for each student." in said.out
    assert (
        f"  bob: lesson 00 from bob/{NAME}" in said.out and f"blank notebook of the course: bob/zh/{NAME}" in said.out
    )
    assert "Beside notebooks, and not graded: bob/notes.txt" in said.out
    assert "add --yes" in said.err and not out.exists() and judges.asked == []

    assert main(["grade", str(folder), "--out", str(out)]) == 4 and judges.asked == []
    assert main(["grade", str(folder), "--out", str(out), "--yes"]) == 0
    assert sorted(judges.asked) == ["ada/00.ipynb", "ada/mine.ipynb", f"bob/{NAME}"]
    found = entries.of(results_store.read(out / "results.jsonl").rows())
    assert {"ada/00.ipynb", f"bob/{NAME}"} == {each.row["submission"] for each in found if each.counts}
    assert "ada: lesson 00: nothing says which" in plan.stored(out)["for_a_person"][0]

    for name in ("ada/mine.ipynb", f"bob/{NAME}", f"bob/zh/{NAME}", "bob/notes.txt"):
        (folder / name).unlink()
    (folder / "bob").rmdir() if not any((folder / "bob").iterdir()) else None
    capsys.readouterr()
    assert main(["grade", str(folder), "--out", str(out)]) == 4
    assert "the last run into these results had 1 more: bob" in capsys.readouterr().out
    judges.asked.clear()
    assert main(["grade", str(folder), "--out", str(out), "--yes"]) == 0 and judges.asked == []
    assert main(["grade", str(folder), "--out", str(out), "--lessons", "00"]) == 0
    write(folder, {f"cyd/{NAME}": CYD})
    assert main(["grade", str(folder), "--out", str(out), "--lessons", "05"]) == 4
    assert assignment.kept(out).lessons == ("00",)  # exports follow the last assignment that was graded


# ---- zips


def test_a_zip_that_was_cut_off_is_refused_as_a_whole(tmp_path):
    """Also where a zip in it ends right there, so that its list of files looks whole."""
    inner = _zip({NAME: ADA})
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_STORED) as z:
        z.writestr("ada.zip", inner)
        z.writestr("bob.zip", _zip({NAME: BOB}))
    whole = (tmp_path / "class.zip").read_bytes()
    assert set(planned(tmp_path / "class.zip").students) == {"ada", "bob"}
    for end in (whole.index(inner) + len(inner), len(whole) - 30, len(whole) // 2):
        (tmp_path / "class.zip").write_bytes(whole[:end])
        with pytest.raises(submissions.NothingToGrade, match=r"it is no whole zip file: .*Download it again"):
            planned(tmp_path / "class.zip")


def test_a_damaged_download_stops_and_a_students_damaged_zip_does_not(tmp_path):
    """The first can be downloaded again; the second has a row that says so."""

    def damaged(files, name):
        data = bytearray(_zip(files))
        at = data.index(name.encode()) + len(name)
        data[at + 10 : at + 40] = bytes(30)
        return bytes(data)

    (tmp_path / "class.zip").write_bytes(damaged({f"ada/{NAME}": ADA, f"bob/{NAME}": BOB}, f"bob/{NAME}"))
    made = planned(tmp_path / "class.zip", contents_of=grading.contents_of)
    says = f"the zip file is damaged, and these cannot be read out of it: bob/{NAME}. Download it again"
    assert made.doubts == [says] and chosen(made)["ada"] == {"00": [f"ada/{NAME}"]}
    (tmp_path / "in a folder").mkdir()
    shutil.copy(tmp_path / "class.zip", tmp_path / "in a folder")
    says = f"the zip file is damaged, and these cannot be read out of it: class.zip/bob/{NAME}. Download it again"
    assert planned(tmp_path / "in a folder", contents_of=grading.contents_of).doubts == [says]
    write(tmp_path / "class", {"ada.zip": damaged({NAME: ADA, "x.ipynb": BOB}, "x.ipynb"), f"cyd/{NAME}": CYD})
    made = planned(tmp_path / "class", contents_of=grading.contents_of)
    assert made.doubts == [] and "ada.zip/x.ipynb" in made.students["ada"].unread
    cut = _zip({NAME: ADA})[:-30]
    pack(tmp_path / "canvas.zip", {f"ada_1_11_{NAME}": ADA, "bob_2_12_hw.zip": cut})
    made = planned(tmp_path / "canvas.zip", contents_of=grading.contents_of)
    assert made.doubts == [] and "bob_2_12_hw.zip" in made.students["bob_2"].unread


def test_the_plans_of_parts_become_one(tmp_path):
    """A student of several parts is there once, as the last part has it."""
    for part, files in (("1", {f"ada/{NAME}": ADA, "bob/x.pdf": "x"}), ("2", {f"bob/{NAME}": BOB, f"cyd/{NAME}": CYD})):
        (tmp_path / part).mkdir()
        plan.store(planned(write(tmp_path / f"class {part}", files)), tmp_path / part)
    (tmp_path / "out").mkdir()
    plan.join([tmp_path / "1", tmp_path / "2"], tmp_path / "out")
    whole = plan.stored(tmp_path / "out")
    assert {each["student"]: bool(each["lessons"]) for each in whole["students"]} == dict.fromkeys(LOGINS, True)
    plan.join([tmp_path / "nowhere"], tmp_path / "1")
    assert plan.students_of(tmp_path / "1") == ["ada", "bob"]


def test_zips_in_zips_are_bounded(tmp_path, monkeypatch):
    """In depth, and in the number of files; each says so, and those beside it are read."""
    monkeypatch.setattr(submissions, "MAX_FILES_OF_ONE", 100)
    nested = {NAME: ADA}
    for n in range(3):
        nested = {f"{n}.zip": _zip(nested)}
    write(tmp_path / "class", {"ada.zip": _zip(nested), f"bob/{NAME}": BOB})
    write(
        tmp_path / "class",
        {"cyd.zip": _zip({"a.zip": _zip({f"{n}.ipynb": "{}" for n in range(99)}), "x": "1", "y": "2"})},
    )
    made = planned(tmp_path / "class")
    assert "too deep" in made.students["ada"].unread["ada.zip/2.zip/1.zip/0.zip"]
    assert "too many files: " in made.students["cyd"].unread["cyd.zip"]
    assert chosen(made)["bob"] == {"00": [f"bob/{NAME}"]}


# ---- files that are almost notebooks


def cells(data, name="04_one_row.ipynb"):
    read = submissions.read(data if isinstance(data, bytes) else data.encode(), name)
    return read.lesson, "\n".join(read.cells), read.problems


CONFLICT = work().replace(
    '    "    return 2 * x"', '<<<<<<< HEAD\n    "    return 2 * x"\n=======\n    "    return 3 * x"\n>>>>>>> other'
)  # fmt: skip
MENDED = {
    "a conflict": (CONFLICT, "a conflict of git was not resolved, from line"),
    "more behind it": (work() + '\n{"cells": []}\n}', "the file goes on: that was not read"),
    "cp1252": (work().replace("# ", "# é ").encode("cp1252", "replace"), "was read as cp1252"),
    "gb18030": (work().replace("# ", "# 课程 乗").encode("gb18030"), "is no UTF-8"),
    "a BOM and zeros": (b"\xef\xbb\xbf" + work().encode() + b"\n\0\0", ""),
    "UTF-16": (work().encode("utf-16"), ""),
    "a raw cell": (json.dumps({"cells": [
        {"cell_type": "raw", "source": "def double(x):\n    return 2 * x"},
        {"cell_type": "code", "source": "import torch"},
    ]}), "double of 0.1 stands in a cell of the kind raw"),
    "a fenced markdown cell": (json.dumps({"cells": [
        {"cell_type": "markdown", "source": "```python\ndef double(x):\n    return 2 * x\n```"},
        {"cell_type": "code", "source": "import torch"},
    ]}), "stands in a cell of the kind markdown"),
}  # fmt: skip


@pytest.mark.parametrize("case", MENDED)
def test_what_is_almost_a_notebook_is_read(case):
    """The answer is there, and a sentence says what was mended."""
    data, says = MENDED[case]
    assert "<<<<" in CONFLICT
    lesson, code, problems = cells(data, NAME)
    assert lesson == "00" and "return 2 * x" in code and "3 * x" not in code
    assert ([] if not says else [True]) == [says in each for each in problems]


NAMED = {
    "a sign-in page": ("<!DOCTYPE html>\n<html><head><title>Sign in - Colab</title>", 'a web page, "Sign in - Colab"'),
    "cut off": (work()[:3000], "ends in the middle, in line"),
    "half a conflict": (CONFLICT.replace("=======\n", ""), "with half a conflict of git in line"),
    "a link": ("https://colab.research.google.com/drive/1a2b3c\n", "only a link"),
    "a zip": (b"PK\x03\x04 etc", "a zip file or a document"),
    "a comma too many": (work().replace('"nbformat": 4,', '"nbformat": 4,,'), "cannot be read as JSON, from line"),
    "no text": (b'{"cells": [\x00\xff\xfe\x80', "nor as text"),
}


def test_what_was_mended_is_listed_for_a_person(tmp_path):
    """Beside the choice that it does not change."""
    made = planned(write(tmp_path, {f"ada/{NAME}": CONFLICT, f"bob/{NAME}": BOB}))
    (told,) = made.for_a_person
    assert told.startswith(f"ada: ada/{NAME}: a conflict of git") and told[5:] in [line for _, line in plan.lines(made)]


def test_a_solution_that_is_handed_in_is_listed_for_a_person(tmp_path):
    """It counts: whoever copied one cell of it may have written the others."""
    made = planned(write(tmp_path, {f"ada/{NAME}": SOLUTION, f"bob/{NAME}": ADA}))

    assert list(made.students) == ["ada", "bob"] == [file.student for file in made.files]
    (sentence,) = made.for_a_person
    assert "ada" in sentence and "marks that stand around the answers" in sentence


@pytest.mark.parametrize("case", NAMED)
def test_what_cannot_be_read_is_named_with_what_to_ask_for(case):
    """One sentence, to the student, so that it can be sent as it is."""
    data, says = NAMED[case]
    lesson, _, (problem,) = cells(data, NAME)
    assert lesson is None and says in problem and re.search("[Hh]and (it )?in|hand that in", problem)


def test_a_notebook_with_huge_outputs_is_read_without_them(tmp_path, monkeypatch):
    """Whether its bytes or its values are too many; texts that only look like outputs stay."""
    text = "def double(x):\n    note = '\"outputs\": [1, 2]'\n    return 2 * x"
    output = {
        "output_type": "display_data",
        "data": {"text/plain": "x" * 5000, "application/json": [[1, {"a": "]"}]] * 500},
    }
    cell = {"cell_type": "code", "source": text, "outputs": [output], "metadata": {}}
    data = json.dumps({"cells": [cell, cell | {"source": "y = 1"}], "nbformat": 4}).encode()
    monkeypatch.setattr(submissions, "MAX_BYTES", 3000)
    (tmp_path / NAME).write_bytes(data)
    (file,) = submissions.find(tmp_path / NAME)
    assert len(file.load()) < 3000 and cells(file.load(), NAME)[1] == f"{text}\ny = 1"
    monkeypatch.setattr(submissions, "MAX_VALUES", 100)
    assert cells(data, NAME) == ("00", f"{text}\ny = 1", [])
    monkeypatch.setattr(submissions, "MAX_LOADED", 5000)
    with pytest.raises(OSError, match="is larger than"):
        file.load()


RIGHT_43 = "def block_size(n_cols):\n    return 1 << (n_cols - 1).bit_length()\n"
PADS = 'pads = {\n    "a": 0.0,\n    "b": None,\n}\n'
BROKEN = "def block_size(n_cols)\n    return 1\n"


@pytest.mark.parametrize("form", ["{0}\n{1}", "# In[1]:\n\n\n{0}\n\n# In[ ]:\n\n\n{1}", "# %%\n{0}\n{1}", "{1}\n{0}"])
def test_one_colon_costs_one_exercise_of_a_python_file(form):
    """The others are read, and the sentence has the line."""
    from grader import lessons

    read = submissions.read(form.format(BROKEN, PADS).encode(), "04_one_row.py")
    of_42, of_43 = (submissions.answer(read, lessons.exercises()[number]) for number in ("4.2", "4.3"))
    assert of_42.source == PADS.strip() and of_42.problems == () and "is not Python" in of_43.broken
    read = submissions.read(form.format(RIGHT_43, PADS).encode(), "04_one_row.py")
    assert submissions.answer(read, lessons.exercises()["4.3"]).source == RIGHT_43.strip()


def test_a_script_of_nbconvert_is_read_in_the_order_of_its_counts():
    """A cell above that ran later wins, as in the notebook."""
    text = "# In[7]:\n\ndef double(x): return 2 * x\n\n# In[3]:\n\ndef double(x): return x\n"
    assert cells(text, "00.py")[1].rstrip().endswith("return 2 * x")


def test_what_mail_and_onedrive_set_before_a_name_is_no_student(tmp_path):
    """Outlook's RE and FW name nobody; zips of OneDrive hold students."""
    mails = {f"RE_ hw0 - Bob/{NAME}": BOB, f"FW_ hw0 Cyd/{NAME}": CYD, f"AW_ HW0/{NAME}": work("x+x")}
    made = planned(write(tmp_path / "mail", mails | {f"Ada/{NAME}": ADA}))
    assert {"Ada", "Bob", "Cyd", "AW_ HW0"} == set(made.students)
    zips = [f"OneDrive_{n}_11-22-2026.zip" for n in (1, 2)]
    one_each = {zips[0]: _zip({f"Ada/{NAME}": ADA}), zips[1]: _zip({f"Bob/{NAME}": BOB})}
    made = planned(write(tmp_path / "1", one_each))
    assert set(made.students) == {"Ada", "Bob"} and not made.doubts
    first, second = {"Ada": ADA, "Cyd": CYD}, {"Bob": BOB, "Dan": work("2.0 * x")}
    parts = (_zip({f"{name}/{NAME}": text for name, text in part.items()}) for part in (first, second))
    made = planned(write(tmp_path / "2", dict(zip(zips, parts))))
    assert {"Ada", "Bob", "Cyd", "Dan"} == set(made.students) and not made.doubts


def test_a_mail_may_hold_a_notebook(tmp_path):
    """So its sender has a row that asks for the notebook itself, as one who handed in an archive."""
    made = planned(write(tmp_path, {f"ada/{NAME}": ADA, "bob/hw.eml": "From: b", "cyd.msg": "x"}))
    assert [*made.students["bob"].unread] == ["bob/hw.eml"] and [*made.students["cyd"].unread] == ["cyd.msg"]


VERSIONS = {
    "a number behind final": ("ada_final", "ada_final2"),
    "one of them plain": ("ada", "ada_new"),
    "numbers of versions": ("ada_v1", "ada (version 2)"),
    "in words": ("Ada Lovelace", "Ada Lovelace - resubmission"),
    "in Chinese": ("张伟", "张伟最终版"),
    "in brackets of Chinese": ("张伟（1）", "张伟（2）"),
    "attempts": ("ada attempt 1", "ada attempt 2"),
    "days": ("ada_2026-11-22", "ada_2026-11-23"),
    "an accent": ("José Roy", "Jose Roy"),
}


@pytest.mark.parametrize("case", VERSIONS)
def test_versions_of_one_file_are_no_two_students_in_silence(case, tmp_path):
    first, second = VERSIONS[case]
    write(tmp_path / "class", {f"{first}.ipynb": ADA, f"{second}.ipynb": BOB, "cyd.ipynb": CYD})
    made = planned(tmp_path / "class")
    assert len(made.students) == 3 and len(made.doubts) == 1
    assert "look like one student" in made.doubts[0] and first in made.doubts[0] and second in made.doubts[0]


@pytest.mark.parametrize("names", [("student1", "student2"), ("wang", "wang2"), ("ada_1", "ada_2"), ("finaly", "ly")])
def test_who_is_called_alike_but_for_a_number_may_be_two(names, tmp_path):
    write(tmp_path / "class", {f"{name}.ipynb": text for name, text in zip(names, (ADA, BOB))})
    made = planned(tmp_path / "class")
    assert set(made.students) == set(names) and not made.doubts


def test_a_roster_knows_versions_numbers_without_zeros_and_other_spellings(tmp_path):
    people = (
        "name,login,student id\nAda Lovelace,ada,12345\nBob Byron,bob,12346\nJürgen Müller,jm,1\nRene Østby,ro,2\n"
        "Cyd New,cyd,3\n"
    )
    names = ("ada_final", "0012346", "Juergen Mueller", "René Ostby", "Cyd New")
    write(tmp_path / "class", {f"{name}.ipynb": work(f"{n} * x") for n, name in enumerate(names)})
    made = planned(tmp_path / "class", roster=of_tables([("class.csv", people.encode())]))
    assert set(made.students) == set(names) and not (made.missing or made.unlisted or made.doubts)


def test_a_late_version_of_one_in_the_roster_is_a_choice_for_a_person(tmp_path):
    people = of_tables([("class.csv", b"name,login\nAda Lovelace,ada\nBob Byron,bob\n")])
    write(tmp_path / "class", {"ada.ipynb": ADA, "ada_final2.ipynb": BOB, "bob.ipynb": CYD})
    made = planned(tmp_path / "class", roster=people)
    assert set(made.students) == {"ada", "bob"} and "several different notebooks" in made.doubts[0]


@pytest.mark.parametrize("between", ["", ".ipynb"])
def test_a_second_download_of_drive_is_called_as_its_student(between, tmp_path):
    files = {
        f"Copy of 00_check_your_bench{between} - Ada Lovelace.ipynb": ADA,
        f"Copy of 00_check_your_bench{between} - Bob B.ipynb (1)": BOB,
    }
    made = planned(write(tmp_path / "class", files))
    assert set(made.students) == {"Ada Lovelace", "Bob B"} and not (made.doubts or made.perhaps_one)


def test_brightspace_names_students_whatever_the_language_of_its_times(tmp_path):
    days = ("22 nov. 2026 10h15", "2026-11-23 10.15", "22. November 2026 1015")
    for at, day in enumerate(days):
        folder = tmp_path / str(at) / "class"
        write(folder, {f"11-99 - Ada Lovelace - {day}/{NAME}": ADA, f"12-99 - Bob - Byron - {day}/{NAME}": BOB})
        assert set(planned(folder).students) == {"Ada Lovelace_11", "Bob - Byron_12"}


def test_a_folder_of_gradescope_that_its_list_does_not_name_stops(tmp_path):
    above = "assignment_1_export"
    files = {f"{above}/submission_{n}/{NAME}": text for n, text in zip((11, 12, 13), (ADA, BOB, CYD))}
    made = planned(write(tmp_path / "class", {f"{above}/submission_metadata.yml": METADATA} | files))
    assert len(made.students) == 4 and len(made.doubts) == 1 and "submission_13" in made.doubts[0]


NAMESAKES = {
    "Canvas": ("lovelaceada_101_9001_{}", "lovelaceada_102_9002_{}"),
    "Moodle": ("Ada Lovelace_101_assignsubmission_file_/{}", "Ada Lovelace_102_assignsubmission_file_/{}"),
    "Brightspace": ("11-99 - Ada Lovelace - Nov 22, 2026 1015 AM/{}", "12-99 - Ada Lovelace - Nov 22, 2026 1016 AM/{}"),
}


@pytest.mark.parametrize("platform", NAMESAKES)
@pytest.mark.parametrize("second", [BOB, BLANK])
def test_two_students_of_a_platform_are_no_one_by_their_name(platform, second, tmp_path):
    """Where the roster has one of them, the other one's work would be an earlier attempt."""
    files = {form.format(NAME): text for form, text in zip(NAMESAKES[platform], (ADA, second))}
    one = of_tables([("class.csv", b"name,email\nAda Lovelace,ada@x.org\nBob Byron,bob@x.org\n")])
    made = planned(write(tmp_path / "class", files), roster=one)
    assert len(made.doubts) == 1 and f"{platform} knows several students" in made.doubts[0]


def test_moodle_numbers_one_student_anew_in_each_assignment(tmp_path):
    one = of_tables([("class.csv", b"name,email\nAda Lovelace,ada@x.org\n")])
    files = {
        f"hw0/Ada Lovelace_101_assignsubmission_file_/{NAME}": ADA,
        "hw4/Ada Lovelace_222_assignsubmission_file_/04_one_row.ipynb": one_row("return n"),
    }
    made = planned(write(tmp_path / "class", files), roster=one)
    assert len(made.students) == 1 and not made.doubts


def test_a_clone_without_a_notebook_is_a_student_beside_a_single_one_with_work(tmp_path):
    above = "one-row-submissions/one-row"
    files = {f"{above}-{who}/.git/HEAD": "x" for who in LOGINS} | {f"{above}-{who}/README.md": "x" for who in LOGINS}
    made = planned(write(tmp_path / "class", files | {f"{above}-ada/notebooks/{NAME}": ADA}))
    assert set(made.students) == {f"one-row-{who}" for who in LOGINS}


def test_an_address_before_the_name_of_a_lesson_is_found(tmp_path):
    one = of_tables([("class.csv", b"name,email\nAda Lovelace,ada@x.org\nBob Byron,bob@x.org\n")])
    files = {f"ada@x.org_{NAME}": ADA, "bob@x.org.ipynb": BOB}
    made = planned(write(tmp_path / "class", files), roster=one)
    assert not (made.missing or made.unlisted or made.doubts)


@pytest.mark.parametrize("folders", [("00_check_your_bench", "04_one_row"), ("week 1", "week 2"), ("hw0", "hw4")])
def test_students_in_folders_of_lessons_are_no_single_one(folders, tmp_path):
    """Where no name is in two of the folders, as nothing but a name says that they are several."""
    files = {f"{folders[0]}/ada.ipynb": ADA, f"{folders[1]}/bob.ipynb": one_row("return n")}
    assert planned(write(tmp_path / "class", files)).doubts
    one = {f"{folders[0]}/{NAME}": ADA, f"{folders[1]}/04_one_row (1).ipynb": one_row("return n")}
    made = planned(write(tmp_path / "ada", one))
    assert [*made.students] == ["ada"] and not made.doubts


@pytest.mark.parametrize("folders", [("Mon", "Tue"), ("pair1", "pair2"), ("late", "cyd")])
def test_files_of_several_with_the_same_answers_are_no_copies_of_one(folders, tmp_path):
    """Of a lesson with one line, a whole section may have the same answers."""
    first, second = folders
    files = {f"{first}/ada.ipynb": ADA, f"{first}/bob.ipynb": ADA, f"{second}/{NAME}": BOB}
    made = planned(write(tmp_path / "class", files))
    assert len(made.doubts) == 1 and "under several names: ada, bob" in made.doubts[0]


@pytest.mark.parametrize("second", ["mine (1)", "mine_final2", "hw0", "00_check_your_bench", "mine-Copy1", "solution"])
def test_copies_of_one_are_no_several_students(second, tmp_path):
    files = {"ada/mine.ipynb": ADA, f"ada/{second}.ipynb": ADA, f"bob/{NAME}": BOB}
    made = planned(write(tmp_path / "class", files))
    assert set(made.students) == {"ada", "bob"} and not made.doubts


def test_a_folder_that_holds_an_empty_one_is_named(tmp_path):
    files = {f"Submitted files/Ada/hw/{NAME}": ADA, "Submitted files/Bob/hw/.DS_Store": "x"}
    made = planned(pack(tmp_path / "class.zip", files))
    assert made.left_out == {"Submitted files/Bob": "a folder without files"}


def test_folders_of_versions_are_no_students(tmp_path):
    files = {f"ada/v1/{NAME}": ADA, f"ada/v2/{NAME}": BOB, f"bob/{NAME}": CYD}
    made = planned(write(tmp_path / "class", files))
    assert set(made.students) == {"ada", "bob"} and not made.doubts and len(made.for_a_person) == 1


@pytest.mark.parametrize("ending", [".zip", ""])
def test_what_onedrive_packs_in_several_zips_lies_beside_each_other(ending, tmp_path):
    """A part that holds a student's files without a folder names nobody."""
    inside = [
        {f"Ada Lovelace/{NAME}": ADA, f"Bob B/{NAME}": BOB},
        {f"Cyd C/hw/{NAME}": CYD, "Bob B/04_one_row.ipynb": BLANK},
    ]

    def lay(folder, files):
        for number, each in enumerate(files, 1):
            part = folder / f"OneDrive_{number}_11-22-2026{ending}"
            pack(part, each) if ending else write(part, each)
        return planned(folder)

    made = lay(tmp_path / "class", inside)
    assert set(made.students) == {"Ada Lovelace", "Bob B", "Cyd C"} and not made.doubts
    assert len(made.files) == 3 and len(made.left_out) == 1
    for name, (first, second) in {"flat": (NAME, NAME), "hw": (f"hw0/{NAME}", "hw4/04_one_row.ipynb")}.items():
        of_nobody = lay(tmp_path / name, [{first: ADA}, {second: BOB}])
        assert len(of_nobody.doubts) == 1 and "bear no student's name" in of_nobody.doubts[0]
    of_two = lay(tmp_path / "two", [{f"gpu/{NAME}": ADA}, {f"gpu/{NAME}": BOB}])
    assert len(of_two.doubts) == 1 and "zip files of OneDrive have the same file" in of_two.doubts[0]
    submitted = [{f"Submitted files/{who}/One row/Version 1/{NAME}": ADA} for who in ("Ada", "Bob")]
    assert set(lay(tmp_path / "teams", submitted).students) == {"Ada", "Bob"}
