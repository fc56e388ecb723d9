"""A class of 60 as Canvas, Moodle (both forms) and nbgrader hand it out, with the names that people have."""

from __future__ import annotations

import pathlib
import random
import zipfile
from dataclasses import dataclass

import nbformat

SIZE = 60
# Two students have one name; one name is a number, one holds what platforms put between the parts of theirs.
ODD = (
    "Björk Guðmundsdóttir", "Jürgen Müller-Lüdenscheidt", "李 小龙", "王 芳", "山田 太郎", "김 민준",
    "Seán O'Neill", "D’Angelo Russell", "Anne-Marie St. John", "Jean_Luc Picard", "Ada Lovelace", "Ada Lovelace",
    "Nguyễn Thị Minh Khai", "Zoë (Zo) Smith",
    "Søren Ærø", "İbrahim Çelik", "Мария Иванова", "محمد علي", "X Æ 12", "Late Latecomer", "O", "Smith, John Jr.",
    "e\u0301mile Zola", "3 Pac", "one row", "submitted", "Lesson 14 Fan", "María del Carmen Núñez-O'Brien",
)  # fmt: skip
FORMS = ("canvas", "moodle_folders", "moodle_flat", "nbgrader")
JUNK = (".DS_Store", "Thumbs.db", "desktop.ini", "._04_one_row.ipynb", ".localized", "~$notes.docx")


@dataclass(frozen=True)
class Student:
    """number: the platform's own. files: (name, text) in the order of attempts; the last one of a lesson counts."""

    number: int
    name: str
    files: tuple[tuple[str, str], ...]
    late: bool = False

    @property
    def login(self) -> str:
        """As nbgrader names a student: a user name, or a name as it is."""
        return self.name if self.number % 2 else f"u{self.number}"


def notebook(factor: int) -> str:
    """A notebook of lesson 00; with 2 its answer is right."""
    cells = [f"def double(x): return {factor} * x", 'check("0.1")']
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells]))


def students() -> list[Student]:
    """The class. Every second student has handed in twice: a wrong answer, then a right one."""
    chance, found = random.Random(24), []
    own = ("00_check_your_bench{}.ipynb", "00-check-your-bench{}.ipynb", "check your bench{}.ipynb", "Übung 00{}.ipynb")
    for i in range(SIZE):
        name = ODD[i] if i < len(ODD) else f"{chance.choice('ABC')}{i} {chance.choice(('Müller', '陈', 'de la Cruz'))}"
        base, first = own[i % len(own)], i % 2
        files = [(base.format(""), notebook(1)), (base.format(" (1)"), notebook(2))][1 - first :]
        files += [("helper.py", "def low(): return 1"), ("plot.png", "no picture")] * (i % 7 == 0)
        found.append(Student(100 + i, name, tuple(files), late=i % 5 == 0))
    return found


def write(form: str, folder: pathlib.Path) -> dict[str, str]:
    """Write what a platform hands out, with what operating systems add. Returns {file: text}."""
    files = {}
    for student in students():
        for attempt, (name, text) in enumerate(student.files):
            files[_path(form, student, attempt, name)] = text
        if form == "nbgrader":
            day = f"2026-11-2{student.number % 9}"
            files[f"submitted/{student.login}{_twin(student)}/ps1/timestamp.txt"] = f"{day} 10:15:00.5 UTC"
    places = {name[: name.rfind("/") + 1] for name in list(files)[:3]}
    files |= {place + name: "x" for place in places for name in JUNK}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return files


def zipped(files: dict[str, str], path: pathlib.Path) -> None:
    """The same in a zip as macOS makes it."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
            archive.writestr(f"__MACOSX/{name}", "x")


def _path(form: str, student: Student, attempt: int, name: str) -> str:
    if form == "canvas":  # letters of the name, a number of the file that grows, and -1 on the second attempt
        letters = "".join(c for c in student.name.lower() if c.isalnum() or c in "-_'’")
        stem, _, ending = name.replace(" (1)", "-1").rpartition(".")
        before = f"{letters}{'_LATE' * student.late}_{student.number}_{9000 + 2 * student.number + attempt}"
        return f"{before}_{stem}.{ending}"
    if form == "moodle_folders":
        return f"{student.name}_{student.number}_assignsubmission_file_/{name}"
    if form == "moodle_flat":
        return f"{student.name}_{student.number}_assignsubmission_file_{name}"
    return f"submitted/{student.login}{_twin(student)}/ps1/{name}"


def _twin(student: Student) -> str:
    """User names are unique, even where names are not."""
    return "2" if student.name == "Ada Lovelace" and student.number % 2 else ""
