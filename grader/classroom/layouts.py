"""Whose a file is: the layouts in which platforms and people hand out a class.

A class is a tree of folders; an opened zip file is one of them. From the top down, a folder is one of these:

- what a platform hands out: Gradescope's export, nbgrader's folder, the folders of Teams, or names that Canvas, Moodle,
  Blackboard or Brightspace made;
- a repository, which is one student's;
- a folder around a class, which says nothing;
- a class by hand: a folder, a zip file or a file for each student.

Inside of what is one student's, names are the student's own and say nothing about others.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import functools
import os
import pathlib
import re
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ..sentence import Said, listed, message, said
from . import file_names, gradescope_export, own_output

_TIMESTAMP = "timestamp.txt"  # of nbgrader, in the folder of a student's assignment
_MAX_TIME = 200  # bytes of a timestamp.txt
_TIME = re.compile(r"([0-9-]{10}[ T][0-9:]{5,8})(?:\.[0-9]+)?\s*(.*)")
_OFFSET = re.compile(r"([+-][0-9]{2}):?([0-9]{2})")
_SUBMITTED = "submitted"  # nbgrader: submitted/<student>/<assignment>/<file>
# nbgrader's other steps, which are not the students' work.
_OF_NBGRADER = {"source", "release", "autograded", "feedback", "downloaded"}
_FILES_OF_NBGRADER = {"nbgrader_config.py", "gradebook.db"}  # in the folder of its course
# Teams: Submitted files/<student>/<assignment>/Version <n>/<file>, in the language of the class.
_TEAMS = "submitted files"
_TEAMS_DRAFTS = "working files"
_TEAMS_IN_CHINESE = re.compile(r"已?(?:提交|上交|繳交)的?(?:文件|檔案)")
_TEAMS_DRAFTS_IN_CHINESE = re.compile(r"(?:工作|正在(?:处理|使用)的?|處理中的?|处理中的?)(?:文件|檔案)")
_EXPORT, _OF_EXPORT = re.compile(r"assignment_[0-9]+_export"), re.compile(r"submission_[0-9]+")  # Gradescope's folders
_VERSION = re.compile(r"(?:version|版本) ?(?P<number>[0-9]{1,4})", re.IGNORECASE)
# Google Drive packs a large folder into several zip files: "class-20261122T101500Z-001.zip" and so on. A browser adds
# "(1)" to the second download, and a part may have been unpacked.
_PART_OF_DRIVE = re.compile(
    r"(?P<whole>.*-[0-9]{8}T[0-9]{6}Z(?:-[0-9]+)*)-(?P<number>[0-9]{3})(?: ?\([0-9]+\))?(?:\.zip)?",
    re.DOTALL | re.IGNORECASE,
)
# OneDrive packs what is chosen, of a large class in several zip files: the folders in them lie beside each other.
_OF_ONEDRIVE = re.compile(r"onedrive_[0-9]+_[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,4}(?: ?\([0-9]+\))?(?:\.zip)?", re.IGNORECASE)
_MARK_OF_GIT = re.compile(r"(?:^|/)\.git(?:/HEAD)?$")
_OF_ATTEMPT = re.compile(r"(.+_attempt_[0-9-]{19})(_|\.txt)")  # how Blackboard's names begin
_ATTEMPT_TEXT = re.compile(r"Name: *(?P<name>.+?) *\((?P<user>[^()\n]+)\)\s*$", re.MULTILINE)  # of Blackboard
# Folders of the course, and those in which one student sorts own work: no names of students.
_OF_COURSE = {"notebooks", "solutions", "zh", "grader", "docs", "tests", "tools", "locale", "records", "site"}
# Folders that those who teach keep beside those of students.
_OF_TEACHERS = _OF_COURSE | _OF_NBGRADER | {
    "solution", "template", "templates", "starter", "handout", "graded", "grades", "rubric", "returned",
}  # fmt: skip
_NO_WORK = _OF_COURSE - {"notebooks", "solutions", "zh"}  # in which no student works
_OF_WORK = re.compile(
    r"(?:attempt|version|v(?=[0-9])|try|week|unit|day|lesson|lab|hw|homework|assignment|exercise|ps|part|draft|old|new|final|backup"
    r"|copy|work|src|code|data|submission|module|chapter|project|tmp|test|archive|extra|untitled|class|course|student"
    r"|download|collected|export|section|group)s?"
    r"(?:[\W_]*[0-9]{0,3}|[\W_]+[a-z]{1,3})|[\W\d_]{1,2}",
    re.IGNORECASE,
)
# Folders in which one student sorts own work, beside those that are called as a piece of it.
_OF_ONE = re.compile(
    r"(?:attempt|version|try|part|draft|final|hw|homework|lab|work|src|code|作业)s?[\W_]*[0-9]{0,3}", re.IGNORECASE
)
# Documents that those who teach keep beside hand-ins.
_PAPERS = re.compile(
    r"(?:syllabus|schedule|rubric|instructions?|guidelines?|handout|grading|solutions?|slides|lecture"
    r"|(?:课程)?大纲|教学大纲|评分(?:标准|细则)?|(?:作业)?(?:说明|要求)|课件|讲义|参考答案)(?:[\W_].*)?|lecture[\W_]*[0-9].*",
    re.IGNORECASE,
)
# What is written in place of a notebook; a picture may just lie beside one.
_WRITTEN = re.compile(r"\.(?:pdf|docx?|odt|rtf|html?)$", re.IGNORECASE)
_MAX_DEPTH = 40  # folders in folders, of which a class has few


@dataclass(frozen=True)
class Owner:
    """Whose a file is.

    inner: the path in what is the student's. names: others by which a roster may know the student. attempt: what the
    platform says of the order of the student's files; None where it says nothing. handed_in: when, in UTC, such as
    "2026-11-22 10:15:00". by: the platform that says whose it is, or "git" of a repository; None where that is just a
    name that somebody gave to a folder. loose: whether it is a file among those of other students. named: False where
    its only name is that of a notebook of the course, or of a folder such as solutions/. draft: whether the platform
    says that it was not handed in. place: the folder of the class, outside of which the name may be somebody else's;
    None where a platform gives each student a name.
    """

    student: str
    inner: str
    names: tuple[str, ...] = ()
    attempt: tuple | None = None
    handed_in: str | None = None
    by: str | None = None
    loose: bool = False
    named: bool = True
    draft: bool = False
    place: str | None = None


@dataclass
class Layout:
    """The owners of files, by name; several where a group handed in one file.

    says: a sentence for each layout that was found. aside: names of files that are no student's, with the reason.
    doubts: sentences about what looks wrong.
    """

    owners: dict[str, list[Owner]] = field(default_factory=dict)
    says: dict[str, None] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)


class _Folder:
    """A folder of the tree. title: its name, without .zip at its end. path: with a "/" at its end, "" at the top.

    parts: the numbers of the parts in which Google Drive packed it.
    """

    def __init__(self, title: str, path: str):
        self.title, self.path = title, path
        self.folders: dict[str, _Folder] = {}
        self.files: list[str] = []  # full names
        self.git = False
        self.parts: set[int] = set()
        self._notebooks: int | None = None

    def all_files(self) -> Iterator[str]:
        yield from self.files
        for folder in self.folders.values():
            yield from folder.all_files()

    @property
    def notebooks(self) -> int:
        """How many notebooks lie in it, at any depth."""
        if self._notebooks is None:
            own = sum(file_names.is_notebook(name) for name in self.files)
            self._notebooks = own + sum(folder.notebooks for folder in self.folders.values())
        return self._notebooks

    @property
    def bearing(self) -> list[_Folder]:
        """The folders right below it in which notebooks lie."""
        return [folder for folder in self.folders.values() if folder.notebooks]

    @property
    def own_notebooks(self) -> list[str]:
        return [name for name in self.files if file_names.is_notebook(name)]

    @functools.cached_property
    def persons(self) -> dict[str, str]:
        """{file: the person whom its name names beside a lesson} of the notebooks right in it."""
        stems = {name: file_names.without_ending(self.last(name)) for name in self.own_notebooks}
        return {name: person for name, stem in stems.items() if (person := file_names.person(stem))}

    @functools.cached_property
    def names_first(self) -> bool:
        """Whether notebooks right in it begin with their persons and a dash, as Google Classroom names them."""
        return sum(self.last(name).startswith(f"{person} - ") for name, person in self.persons.items()) > 1

    def last(self, name: str) -> str:
        return name.rpartition("/")[2]

    def inner(self, name: str) -> str:
        """The path of a file in it. Parts of one download may have paths of other lengths than the first one's."""
        return name.split("/", self.path.count("/"))[-1]


def of(names: list[str], title: str, load: Callable[[str], bytes]) -> Layout:
    """The layout of files. title: the name of the folder or zip file around them. load: the bytes of a file.

    Only what a platform wrote is loaded: times, and lists of students. load may raise OSError.
    """
    top, found = _Folder(title, ""), Layout()
    own = tuple(own_output.folders(names, load))
    for name in names:
        if name.startswith(own):
            found.aside[name] = said("this grader wrote it: results or feedback of an earlier run")
        else:
            _put(top, name)
    _Reader(found, load).place(top, 0)
    _doubt_missing_parts(found, top)
    _doubt_parts_with_one_name(found, top)
    _leave_out_the_course(found)
    if not found.doubts:
        _doubt_a_single_student(found)
    return found


def of_one(names: list[str], title: str) -> Layout:
    """The layout of files that are all of one student, named by the folder or zip file around them."""
    own = [name for name in names if clone_of(name) is None]
    found = Layout(
        {name: [Owner(title, name, by="--one-student")] for name in own}, {said("the files of one student"): None}
    )
    _leave_out_the_course(found)
    return found


def clone_of(name: str) -> str | None:
    """The folder of the repository of whose .git a file is the sign; None where it is another file."""
    marked = _MARK_OF_GIT.search(name)
    return name[: marked.start()].strip("/") if marked else None


def _put(top: _Folder, name: str) -> None:
    clone = clone_of(name)
    *folders, _ = name.split("/") if clone is None else clone.split("/") + [""]
    at, around = top, ""
    for depth, part in enumerate(folders[:_MAX_DEPTH], 1):
        if part in ("", ".", ".."):
            continue
        inside = "".join(folders[depth : depth + 1])
        if _OF_ONEDRIVE.fullmatch(part) and inside and may_be_a_person(inside) and not file_names.names_nobody(inside):
            around += f"{part}/"
            continue
        found = _PART_OF_DRIVE.fullmatch(part)
        key = found["whole"] if found else part
        if key not in at.folders:  # of several parts, the path is that of the first one
            at.folders[key] = _Folder(file_names.without_ending(key), f"{at.path}{around}{part}/")
        at, around = at.folders[key], ""
        at.parts |= {int(found["number"])} if found else set()
    if clone is not None:
        at.git = True
    else:
        at.files.append(name)


class _Reader:
    """Reads one tree into a layout."""

    def __init__(self, layout: Layout, load: Callable[[str], bytes]):
        self.layout, self.load = layout, load

    def place(self, folder: _Folder, depth: int) -> None:
        """Find out what a folder is, and give its files to students."""
        if depth < _MAX_DEPTH:
            for form in (self.gradescope, self.nbgrader, self.teams, self.named_by_a_platform):
                if form(folder, depth):
                    return
        if _is_repository(folder) and not _is_class(folder):
            self.says(said("repositories, each of one student"))
            self.give(folder, folder.title, by="git")
            return
        bearing = folder.bearing
        if bearing and not folder.own_notebooks and depth < _MAX_DEPTH:
            others = [each for each in folder.folders.values() if each not in bearing]
            alone = len(bearing) == 1 and not any(map(_is_repository, others))  # such a clone is a student's, too
            if alone and _is_around(bearing[0], folder.title):
                self.leave(folder, bearing)
                self.place(bearing[0], depth + 1)
                return
            if len(bearing) > 1 and _are_sections(bearing):
                self.leave(folder, bearing)
                for each in bearing:
                    self.place(each, depth + 1)
                return
            if _are_pieces(bearing):
                self.says(said("folders of weeks or pieces of work, with the same students in them"))
                self.leave(folder, bearing)
                for each in bearing:
                    self.by_hand(each)
                return
            if all(map(_is_of_one, bearing)):
                self.says(said("the files of one student"))
                self.give(folder, folder.title, place=folder.path)
                return
        self.by_hand(folder)

    # ---- what platforms hand out

    def gradescope(self, folder: _Folder, depth: int) -> bool:
        """assignment_<n>_export/submission_<n>/<file>, and submission_metadata.yml beside."""
        if not _is_of_gradescope(folder):
            return False
        metadata = f"{folder.path}{gradescope_export.FILE}"
        known = {}
        if metadata in folder.files:
            with contextlib.suppress(OSError):
                known = gradescope_export.read(self.load(metadata))
            self.layout.aside[metadata] = said("it is Gradescope's own")
        if not known:
            self.layout.doubts.append(
                said(
                    "{folder} is Gradescope's export, and its {file}, which names the students, is missing or cannot "
                    "be read. Download it again: else each student is called as a folder, such as submission_1",
                    folder=folder.title,
                    file=gradescope_export.FILE,
                )
            )
        self.says(said("Gradescope's export"))
        strange = (each for each in folder.folders.values() if not known.get(each.title))
        unknown = [each.title for each in strange if any(each.all_files())]
        if known and unknown:
            self.layout.doubts.append(
                said(
                    "{file} does not say whose these are: {folders}. Download the export again: else each student is "
                    "called as a folder",
                    file=gradescope_export.FILE,
                    folders=listed(unknown),
                )
            )
        for each in folder.folders.values():
            for one in known.get(each.title) or [gradescope_export.Submitter(each.title, ())]:
                attempt = (one.handed_in,) if one.handed_in else None  # who is in two groups has two submissions
                self.give(
                    each, one.key, by="Gradescope", names=one.names, handed_in=one.handed_in, attempt=attempt
                )
        titles = {each.title for each in folder.folders.values()}
        for name, submitters in known.items():
            if name not in titles:
                of = listed([one.key for one in submitters])
                self.layout.aside[f"{folder.path}{name}"] = said("a folder without files, of {students}", students=of)
        self.beside(
            [name for name in folder.files if name != metadata], said("it lies beside the folders of the students")
        )
        return True

    def nbgrader(self, folder: _Folder, depth: int) -> bool:
        """submitted/<student>/<assignment>/<file>, with a timestamp.txt beside the files."""
        submitted = folder.folders.get(_SUBMITTED)
        if submitted is not None and any(each.bearing or each.notebooks for each in submitted.folders.values()):
            others = [each for each in folder.folders.values() if each is not submitted]
            known = {each.title for each in others if each.notebooks} <= _OF_NBGRADER
            marked = not _FILES_OF_NBGRADER.isdisjoint(map(folder.last, folder.files))
            if marked or (known and not folder.own_notebooks):
                for each in others:
                    self._other_step(each)
                for name in folder.files:
                    self.layout.aside[name] = said("it is nbgrader's own")
                self._students_of_nbgrader(submitted)
                return True
        times = _times(folder)
        theirs = len(folder.bearing) > 1 and times and all(times) and not folder.own_notebooks
        if (folder.title == _SUBMITTED and any(times)) or theirs:
            self._students_of_nbgrader(folder)
            return True
        return False

    def _other_step(self, folder: _Folder) -> None:
        for name in folder.all_files():
            self.layout.aside[name] = said("it is in another folder of nbgrader than submitted/")

    def _students_of_nbgrader(self, submitted: _Folder) -> None:
        self.says(said("nbgrader's folder submitted/"))
        for student in submitted.folders.values():
            self.give(student, student.title, by="nbgrader", only=student.files)
            for assignment in student.folders.values():
                stamp = f"{assignment.path}{_TIMESTAMP}"
                when = self._time(stamp) if stamp in assignment.files else None
                kept = [name for name in assignment.all_files() if name != stamp]
                attempt = (when,) if when else None
                self.give(student, student.title, by="nbgrader", only=kept, handed_in=when, attempt=attempt)
                if stamp in assignment.files:
                    if kept:
                        self.layout.aside[stamp] = ""  # read, so it needs no word
                    else:
                        self.give(student, student.title, by="nbgrader", only=[stamp])
        self.beside(submitted.files, said("it lies beside the folders of the students"))

    def _time(self, name: str) -> str | None:
        try:
            return _in_utc(self.load(name)[:_MAX_TIME].decode("utf-8-sig").strip())
        except (OSError, ValueError):
            return None

    def teams(self, folder: _Folder, depth: int) -> bool:
        """Submitted files/<student>/<assignment>/Version <n>/<file>, and Working files/ beside, which is no hand-in."""
        kinds = _of_teams(folder)
        if _TEAMS not in kinds:
            return False
        self.says(said("Teams' folder Submitted files"))
        handed_in = {
            (student.title, student.inner(name).partition("/")[0])
            for student in kinds[_TEAMS].folders.values() for name in student.all_files()
        }  # fmt: skip
        for kind, of_kind in kinds.items():
            if kind not in (_TEAMS, _TEAMS_DRAFTS):
                self.beside(of_kind.all_files(), said("it lies beside the folders of the students"))
                continue
            self.beside(of_kind.files, said("it lies beside the folders of the students"))
            for student in of_kind.folders.values():
                for name in student.all_files():
                    inner = student.inner(name)
                    if kind == _TEAMS_DRAFTS and (student.title, inner.partition("/")[0]) in handed_in:
                        self.layout.aside[name] = said("it was not handed in")
                        continue
                    versions = [_VERSION.fullmatch(part) for part in inner.split("/")[:-1]]
                    numbers = [int(each["number"]) for each in versions if each]
                    attempt = (0,) if kind == _TEAMS_DRAFTS else (numbers[0],) if numbers else None
                    draft = kind == _TEAMS_DRAFTS
                    more = {"attempt": attempt, "draft": draft, "place": folder.path}
                    self.give(student, student.title, by="Teams", only=[name], **more)
        if folder is not kinds[_TEAMS]:
            self.beside(folder.files, said("it lies beside the folders of the students"))
        return True

    def named_by_a_platform(self, folder: _Folder, depth: int) -> bool:
        """Files and folders whose names Canvas, Moodle, Blackboard, Brightspace or nbgrader's exchange made."""
        children = [*folder.folders, *map(folder.last, folder.files)]
        platforms = {child: made for child in children if (made := file_names.platform(child))}
        if not platforms:
            return False
        students = {file_names.read(child).student for child in platforms}
        if depth and _is_persons(folder) and len(students) < 2 and not _names_by_moodle(folder):
            return False  # in a student's own folder, one file may be called so
        full, receipts = self._users_of_blackboard(folder), self._receipts(folder)
        groups = _by_groups(child for child, platform in platforms.items() if platform == "Moodle")
        for platform in dict.fromkeys(platforms.values()):
            self.says(said("the names that {platform} gives", platform=platform))
        for child, each in folder.folders.items():
            if child in platforms:
                self._named(child, each, list(each.all_files()), full, groups)
            elif not self.of_teachers(each, folder):
                self.student_or_class(each, each.title, among=folder)
        for name in folder.files:
            if name in receipts:
                self.layout.aside[name] = ""  # read, so it needs no word
            elif folder.last(name) in platforms:
                self._named(folder.last(name), folder, [name], full, groups)
        self.flat(folder, [name for name in folder.files if folder.last(name) not in platforms])
        return True

    def _named(
        self, child: str, folder: _Folder, files: list[str], full: dict[str, tuple[str, str]], groups: bool
    ) -> None:
        info = file_names.read(child)
        head = child.partition("_attempt_")[0]
        user, person = full.get(head, (info.student, ""))
        names = [*(info.canvas or ()), person]
        if info.platform in ("Moodle", "Brightspace"):
            names.append(whole := info.student.rpartition("_")[0])
            # One word in Latin letters may be somebody else's login.
            behind = _behind_hyphens(whole) if groups and info.platform == "Moodle" else []
            names += [each for each in behind if " " in each or not each.isascii()]
        for name in files:
            self.add(name, Owner(user, folder.inner(name), tuple(filter(None, names)), info.attempt, by=info.platform))

    def _receipts(self, folder: _Folder) -> set[str]:
        """Blackboard's texts about the attempts of which a file is there."""
        children = [*folder.folders, *map(folder.last, folder.files)]
        with_file = {found[1] for child in children if (found := _OF_ATTEMPT.match(child)) and found[2] == "_"}
        return {
            name for name in folder.files
            if (found := _OF_ATTEMPT.fullmatch(folder.last(name))) and found[2] == ".txt" and found[1] in with_file
        }  # fmt: skip

    def _users_of_blackboard(self, folder: _Folder) -> dict[str, tuple[str, str]]:
        """{assignment and user, as files' names begin: (user, full name)}, from the texts beside the files.

        Where these do not tell a user, whose name may have a "_", the user is what differs from name to name.
        """
        children = [*folder.folders, *map(folder.last, folder.files)]
        heads = {child.partition("_attempt_")[0] for child in children if file_names.platform(child) == "Blackboard"}
        common = os.path.commonprefix([*heads]).rpartition("_")[0] if len(heads) > 1 else ""
        found = {head: (head.removeprefix(f"{common}_"), "") for head in heads} if common else {}
        for name in folder.files:
            head, between, rest = folder.last(name).partition("_attempt_")
            if not between or not re.fullmatch(r"[0-9-]{19}\.txt", rest):
                continue
            try:
                text = self.load(name)[:20_000].decode("utf-8", "replace")
            except OSError:
                continue
            if (told := _ATTEMPT_TEXT.search(text)) and head.endswith("_" + told["user"]):
                found[head] = told["user"], told["name"]
        return found

    # ---- by hand

    def by_hand(self, folder: _Folder) -> None:
        """A folder or a zip file for each student, or files."""
        downloads = [each for each in folder.folders.values() if _is_download(each)]
        of_nbgrader = any(each.title == _SUBMITTED for each in downloads)
        for each in folder.folders.values():
            repository = _is_repository(each)
            if of_nbgrader and each.title in _OF_NBGRADER:
                self._other_step(each)
                continue
            if self.of_teachers(each, folder):
                continue
            if not (each in downloads or (repository and _is_class(each))):
                self.says(
                    said("repositories, each of one student")
                    if repository
                    else said("a folder or a zip for each student")
                )
            names, student = (), _first_named(folder, each.title)
            if repository:
                names = _accounts(folder, each.title)
            elif not (repository or student) and (student := file_names.person_of_piece(each.title)):
                names = (each.title,)
            self.student_or_class(each, student or each.title, names, among=folder)
            if downloads and each not in downloads and not (repository or _is_of_teachers(each, folder)):
                self.layout.doubts.append(
                    said(
                        "“{student}” would be one student, whose folder lies beside {download}, a download of a "
                        "platform. Rename it after its student, or grade it by itself",
                        student=each.title,
                        download=downloads[0].title,
                    )
                )
        self.flat(folder, folder.files)

    def flat(self, folder: _Folder, files: list[str]) -> None:
        """Files beside each other: each one a student's, or all of them one student's where they name nobody."""
        books = [name for name in files if file_names.is_notebook(name)]
        stems = {name: _stem(folder.last(name)) for name in files}
        persons = {name: file_names.person_of_piece(stem) for name, stem in stems.items()}
        if by_person := _names_persons(folder):
            whole = {name: file_names.without_ending(folder.last(name)) for name in files}
            beside_lesson = {name: file_names.person(whole[name] if name in books else stems[name]) for name in files}
            persons = {name: beside_lesson[name] or persons[name] for name in files}
        pieces = {file_names.slug_of(stems[name]) or file_names.plain_stem(stems[name]) for name in books}
        all_pieces = len(pieces) == len(books) > 0 and all(file_names.is_piece(stems[name]) for name in books)
        of_one = all_pieces and not folder.folders and folder.title and len(files) == len(folder.files)
        of_many = any(not file_names.is_of_course(folder.last(name)) for name in books)  # a file is a whole hand-in
        by_dash = len(books) > 1 and all(_first_named(folder, stems[name]) for name in books)
        if books:
            self.says(
                said("the notebooks of one student") if of_one
                else said("files that name their students") if by_person or any(persons[name] for name in books)
                else said("a file for each student")
            )  # fmt: skip
        for name in files:
            last, stem = folder.last(name), stems[name]
            document = file_names.is_document(last) and not file_names.may_hold_notebooks(last)
            if of_one:
                owner = Owner(folder.title, last, loose=True)
            elif by_person and (person := _first_named(folder, stem)):
                owner = Owner(person, last)
            elif document and books and (by_dash or _PAPERS.fullmatch(stem)):
                self.beside([name], said("it names no student, and is no notebook"))
                continue
            else:
                loose = not (of_many and file_names.is_document(last))
                named = bool(by_person and persons[name])
                named = named or not (file_names.is_of_course(last) or file_names.names_nobody(stem))
                plain = file_names.without_marks_of_a_program(stem)
                other = plain != stem and not (by_person and file_names.is_piece(plain))
                names = (stem,) if persons[name] and not by_person else (plain,) if other else ()
                owner = Owner(persons[name] or stem, last, names, loose=loose, named=named)
            self.add(name, dataclasses.replace(owner, place=folder.path))

    # ---- what all of them do

    def of_teachers(self, folder: _Folder, among: _Folder) -> bool:
        """Leave out a folder such as feedback/, if no notebook may be in it. Returns whether it was left out."""
        files = list(folder.all_files())
        if not _is_of_teachers(folder, among) or folder.notebooks or any(map(file_names.may_hold_notebooks, files)):
            return False
        self.beside(files, said("it lies beside the folders of the students"))
        return True

    def student_or_class(self, folder: _Folder, student: str, names: tuple[str, ...] = (), *, among: _Folder) -> None:
        """Give a folder to a student, unless it is clearly a class. Where it only looks like one, a person is asked.

        among: the folder in which it lies.
        """
        repository = _is_repository(folder)
        if _is_download(folder) or (repository and _is_class(folder)):
            self.place(folder, 1)
            return
        by, place = ("git", None) if repository else (None, folder.path[: -len(folder.path.split("/")[-2]) - 1])
        inside = [] if repository else _students_in(folder)
        named = bool(inside) or not (_is_of_teachers(folder, among) or file_names.names_nobody(folder.title))
        self.give(folder, student, by=by, names=names, place=place, named=named)
        if inside:
            self.layout.doubts.append(
                said(
                    "“{student}” would be one student, and what is in it looks like several: {first}, {second}{more}. "
                    "Grade this folder by itself, or move the folders in it up",
                    student=folder.title,
                    first=inside[0],
                    second=inside[1],
                    more=", …" * (len(inside) > 2),
                )
            )

    def give(self, folder: _Folder, student: str, only: list[str] | None = None, **more) -> None:
        """Give the files of a folder, or `only` some of them, to a student."""
        for name in folder.all_files() if only is None else only:
            self.add(name, Owner(student, folder.inner(name), **more))

    def add(self, name: str, owner: Owner) -> None:
        self.layout.owners.setdefault(name, []).append(owner)

    def leave(self, folder: _Folder, bearing: list[_Folder]) -> None:
        """Files beside a folder around a class are nobody's."""
        self.beside(folder.files, said("it lies beside the folder of the class"))
        for each in folder.folders.values():
            if each not in bearing:
                self.beside(each.all_files(), said("it lies beside the folder of the class"))

    def beside(self, names: Iterable[str], why: Said) -> None:
        """Files that are nobody's. A part of the class may be in one that could not be opened, so a person is asked."""
        for name in names:
            self.layout.aside[name] = why
            if not file_names.may_hold_notebooks(name):
                continue
            try:
                self.load(name)
                cause = said("it was not opened")
            except OSError as error:
                cause = message(error)
            self.layout.doubts.append(
                said(
                    "beside the class lies {name}, which may be a part of it: {cause}. Unpack it there, or download it "
                    "again",
                    name=name,
                    cause=cause,
                )
            )

    def says(self, sentence: str) -> None:
        self.layout.says[sentence] = None


def _stem(last: str) -> str:
    """The name of a file without its ending, and without what follows that of a notebook."""
    stem = re.sub(r"(?i)\.(?:ipynb|py|zip|tar\.(?:gz|bz2|xz)$)\b.*$", "", last) or last
    return pathlib.PurePosixPath(last).stem if stem == last and file_names.is_document(last) else stem


def _accounts(folder: _Folder, title: str) -> tuple[str, ...]:
    """What may be the account in the name of a repository, <assignment>-<account>.

    The assignment is what all repositories in a folder begin with, or what the folder of `gh classroom clone` says. An
    assignment's name may have hyphens, and so may an account.
    """
    assignment = folder.title.removesuffix("-submissions")
    if assignment != folder.title and title.startswith(f"{assignment}-"):
        return (title.removeprefix(f"{assignment}-"),)
    titles = [_without_branch(each.title) for each in folder.folders.values() if _is_repository(each)]
    common = os.path.commonprefix(titles).rpartition("-")[0] if len(titles) > 1 else ""
    rest = _without_branch(title).removeprefix(f"{common}-")
    return tuple(_behind_hyphens(common + "-" + rest, common.count("-") + 1)) if common else ()


def _without_branch(title: str) -> str:
    """The name of a repository, of which GitHub packs a branch as <repository>-main.zip."""
    return re.sub("-(?:main|master)$", "", title)


def _behind_hyphens(name: str, most: int | None = None) -> list[str]:
    """What follows each of the first `most` hyphens in a name, the longest first."""
    parts = name.split("-")
    ends = range(1, len(parts) if most is None else min(most + 1, len(parts)))
    return [rest for at in ends if (rest := "-".join(parts[at:]).strip())]


def _by_groups(children: Iterable[str]) -> bool:
    """Whether all of Moodle's names in a folder may begin with a group: Moodle writes it before each or none."""
    names = {file_names.read(child).student for child in children}
    return len(names) > 1 and all("-" in name for name in names)


def _is_repository(folder: _Folder) -> bool:
    """Whether a folder is a clone: it has a .git, or the course's tree."""
    books = folder.folders.get("notebooks")
    return folder.git or (books is not None and any(file_names.is_of_course(name) for name in books.own_notebooks))


def _leave_out_the_course(layout: Layout) -> None:
    """Take out of a layout what came with a student's copy of the course: its programs and tests hold answers too."""
    roots = set()
    for name in layout.owners:
        *root, above, book = ["", *name.split("/")]
        if above == "notebooks" and file_names.is_of_course(book):
            roots.add(tuple(root))
    for name in list(layout.owners):
        parts = ("", *name.split("/"))
        if any(
            part in _NO_WORK or (part == "solutions" and name.endswith(".py"))
            for at, part in enumerate(parts[:-1]) if parts[:at] in roots
        ):  # fmt: skip
            del layout.owners[name]
            layout.aside[name] = said("it is a file of the course")


def _doubt_missing_parts(layout: Layout, folder: _Folder) -> None:
    """Ask a person where Google Drive packed students in several parts, and one before the last is not there."""
    for each in folder.folders.values():
        missing = sorted(set(range(1, max(each.parts, default=0))) - each.parts)
        students = {owner.student for name in each.all_files() for owner in layout.owners.get(name, ())}
        if missing and len(students) > 1:
            layout.doubts.append(
                said(
                    "Google Drive packed {folder} in parts, and of these are missing: {parts}. Download them as well, "
                    "or the students in them are not graded",
                    folder=each.title,
                    parts=listed([f"{number:03}" for number in missing]),
                )
            )
        _doubt_missing_parts(layout, each)


def _doubt_parts_with_one_name(layout: Layout, folder: _Folder) -> None:
    """Ask a person where two zip files of OneDrive have one file: each may be of another student."""
    times = Counter(map(folder.last, folder.files))
    twice = [name for name in folder.files if times[folder.last(name)] > 1]
    if any(_OF_ONEDRIVE.fullmatch(part) for name in twice for part in name.split("/")):
        layout.doubts.append(
            said(
                "several zip files of OneDrive have the same file: {files}. If they are of several students, put each "
                "into a folder with the name of its student; if one was downloaded twice, delete it",
                files=listed(twice),
            )
        )
    for each in folder.folders.values():
        _doubt_parts_with_one_name(layout, each)


def _doubt_a_single_student(layout: Layout) -> None:
    """Ask a person where a whole class may have become one student, as with one more folder around it."""
    owners = [(name, owner) for name, mine in layout.owners.items() for owner in mine]
    if len({owner.student for _, owner in owners}) != 1 or any(owner.by for _, owner in owners):
        return
    folders, files = {}, {}
    for name, owner in owners:
        *above, last = owner.inner.split("/")
        if not (file_names.is_notebook(name) or file_names.is_archive(name) or _WRITTEN.search(name)):
            continue
        if person := next(filter(may_be_a_person, map(file_names.without_ending, above)), None):
            folders[person] = None
        elif (
            all(map(file_names.is_piece, above))
            and not file_names.is_piece(_stem(last))
            and (file_names.is_notebook(name) or not may_be_a_person(owner.student))
        ):
            files[file_names.without_marks_of_a_program(_stem(last))] = None
    inside = [*folders] if len(folders) > 1 else [*files]
    if len(inside) > 1:
        layout.doubts.append(
            said(
                "all of it would be of one student, “{student}”, and looks like several: {first}, {second}{more}. If "
                "they are several, give the folder or the zip in which they lie as PATH; if it is one, add "
                "--one-student",
                student=owners[0][1].student,
                first=inside[0],
                second=inside[1],
                more=", …" * (len(inside) > 2),
            )
        )


def _is_of_one(folder: _Folder) -> bool:
    """Whether one student's work may lie in a folder of this name, and no students do."""
    if not (_OF_ONE.fullmatch(folder.title) or file_names.is_piece(folder.title)) or _is_repository(folder):
        return False
    work = [name for name in folder.all_files() if file_names.is_notebook(name) or _WRITTEN.search(name)]
    stems = {_stem(folder.last(name)) for name in work}
    return not _students_in(folder) and sum(map(may_be_a_person, stems)) < 2


def _are_pieces(folders: list[_Folder]) -> bool:
    """Whether folders are those of weeks or of pieces of work, in which the same students have folders or files."""
    inside = [_names_in(folder) for folder in folders]
    count = Counter(name for names in inside for name in names)
    return all(inside) and all(file_names.is_piece(each.title) for each in folders) and 1 < len(count) < count.total()


def _names_in(folder: _Folder) -> set[str]:
    """The names of students in a folder of a week, if all that holds notebooks in it bears one; else nothing."""
    names = {file_names.person_of_piece(each.title) or each.title for each in folder.bearing}
    for name in folder.own_notebooks:
        stem = _stem(folder.last(name))
        names.add(file_names.person(stem) or file_names.person_of_piece(stem) or stem)
    return names if all(map(may_be_a_person, names)) and not any(map(_is_repository, folder.bearing)) else set()


def _is_of_teachers(folder: _Folder, among: _Folder) -> bool:
    """Whether a folder beside those of students has a name such as feedback or solutions."""
    is_one = folder.title.lower() in _OF_TEACHERS and not _is_repository(folder)
    return is_one and among.notebooks > folder.notebooks


def may_be_a_person(title: str) -> bool:
    """Whether the name of a folder or of a zip file may be a student's."""
    title = file_names.without_marks_of_a_program(title)
    return not (title.lower() in _OF_COURSE or _OF_WORK.fullmatch(title) or file_names.is_piece(title))


def _is_persons(folder: _Folder) -> bool:
    """Whether the name of a folder may be a student's."""
    return may_be_a_person(folder.title)


def _is_class(folder: _Folder) -> bool:
    """Whether the folders in a folder look like students: their names may be, and they hold the same notebooks."""
    inside = [each for each in folder.bearing if _is_persons(each)]
    handed_out = all(file_names.is_of_course(folder.last(name)) for name in folder.own_notebooks)
    if len(inside) < 2 or not handed_out or any(each.title.lower() in _OF_COURSE for each in folder.bearing):
        return len(folder.bearing) == 1 and folder.git and _is_class(folder.bearing[0])
    kinds = [{_kind(name) for name in each.all_files() if file_names.is_notebook(name)} for each in inside]
    return len(inside) > 2 or bool(kinds[0] & kinds[1])


def _students_in(folder: _Folder) -> list[str]:
    """The names of what looks like students in a folder, or in one folder in it; empty where nothing does."""
    if _is_class(folder):
        return [each.title for each in folder.bearing if _is_persons(each)]
    if _is_download(folder):
        children = [*folder.folders, *map(folder.last, folder.files)]
        return list(
            dict.fromkeys(file_names.read(each).student for each in children if file_names.is_of_platform(each))
        )
    if len(folder.bearing) == 1 and not folder.own_notebooks and not _is_repository(folder):
        return _students_in(folder.bearing[0])
    return []


def _kind(name: str) -> str:
    """What two students' files for one lesson have in common: the lesson in their names, else the names."""
    return file_names.lesson(name.rpartition("/")[2]) or file_names.plain_stem(name)


def _is_around(folder: _Folder, title: str) -> bool:
    """Whether a folder, alone in another one of this title, is around a class, and not one student's."""
    if _is_repository(folder) and not _is_class(folder):
        return True  # `place` sees that it is one student's
    if any(each.title.lower() == _SUBMITTED for each in (folder, *folder.folders.values())):
        return True
    if _is_download(folder):
        return True
    children = [*folder.folders, *map(folder.last, folder.files)]
    if not _is_persons(folder) and (
        any(map(file_names.is_of_platform, children))
        or sum(map(_is_persons, folder.bearing)) > 1
        or _are_pieces(folder.bearing)
        or len({file_names.person_of_piece(_stem(folder.last(name))) for name in folder.own_notebooks} - {""}) > 1
    ):
        return True
    if _is_class(folder) or any(map(_is_repository, folder.bearing)) or _names_persons(folder):
        return True
    if not folder.own_notebooks and len(folder.bearing) == 1 and _is_around(folder.bearing[0], folder.title):
        return True
    return _same(folder.title, title) or (len(folder.bearing) > 1 and _are_sections(folder.bearing))


def _first_named(folder: _Folder, stem: str) -> str:
    """The person before the dash in "Ada Lovelace - homework", where Google Classroom named the files; else ""."""
    person, dash, _ = stem.partition(" - ")
    return person.strip() if dash and folder.names_first else ""


def _names_persons(folder: _Folder) -> bool:
    """Whether the notebooks right in a folder name several persons, or each one first, as Google Classroom does."""
    persons, books = folder.persons, folder.own_notebooks
    first = 0 < len(persons) == len(books) and all(" - " in folder.last(name) for name in books)
    return first or len(set(persons.values())) > 1


def _same(folder: str, archive: str) -> bool:
    """Whether a zip file is named after a folder: "class (1)" or Drive's "class-20261122T101500Z-001" after "class"."""
    plain = re.sub(r"(?: ?\([0-9]+\)|-[0-9]{8}T[0-9]{6}Z(?:-[0-9]+)*)+$", "", archive)
    return folder == plain


def _are_sections(folders: list[_Folder]) -> bool:
    """Whether each of several folders is a class: platforms' downloads, or folders with students of their own."""
    names: set[str] = set()
    for folder in folders:
        inside = {each.title for each in folder.bearing}
        # The same names in two of them are no students, but what each student made, such as attempts.
        if not (_is_download(folder) or (_is_class(folder) and not _is_repository(folder) and not inside & names)):
            return False
        names |= inside
    return True


def _is_download(folder: _Folder) -> bool:
    """Whether a folder is clearly what a platform hands out: no student has such a one."""
    children = [*folder.folders, *map(folder.last, folder.files)]
    made = {file_names.read(child).student for child in children if file_names.is_of_platform(child)}
    inside = (folder, *folder.folders.values())
    if len(folder.bearing) == 1 and not folder.own_notebooks and not _is_repository(folder):
        if _is_download(folder.bearing[0]):  # as in hw4/submissions.zip
            return True
    return (
        len(made) > 1
        or _is_of_gradescope(folder)
        or _TEAMS in _of_teams(folder)
        or any(each.title == _SUBMITTED and any(_times(each)) for each in inside)
        or _names_by_moodle(folder)
        or _is_of_github_classroom(folder)
    )


def _of_teams(folder: _Folder) -> dict[str, _Folder]:
    """The folders in the one that Teams handed out, those of hand-ins and of drafts under their names in English.

    Without the former, it is another folder. A name in Chinese may be a person's own for a folder of the class, so it
    counts where the versions that Teams makes lie in it, or drafts beside it.
    """
    kinds = {name.lower(): each for name, each in folder.folders.items()}
    if _TEAMS in kinds:
        return kinds
    drafts = next((name for name in kinds if _TEAMS_DRAFTS_IN_CHINESE.fullmatch(name)), None)
    for name, each in kinds.items():
        if _TEAMS_IN_CHINESE.fullmatch(name) and each.bearing and (drafts or _holds_versions(each)):
            named = {name: _TEAMS, drafts: _TEAMS_DRAFTS}
            return {named.get(other, other): of_other for other, of_other in kinds.items()}
    is_one = _TEAMS_IN_CHINESE.fullmatch(folder.title) and _holds_versions(folder)
    return {_TEAMS: folder} if is_one or folder.title.lower() == _TEAMS else {}


def _holds_versions(submitted: _Folder) -> bool:
    """Whether each assignment of each student in a folder has folders of versions, as in Teams."""
    assignments = [each for student in submitted.bearing for each in student.bearing]
    return bool(assignments) and all(
        any(_VERSION.fullmatch(each.title) for each in assignment.bearing) for assignment in assignments
    )


def _names_by_moodle(folder: _Folder) -> bool:
    """Whether a folder in it has a name of Moodle's, which no student gives to one."""
    return any(file_names.platform(child) == "Moodle" for child in folder.folders)


def _is_of_github_classroom(folder: _Folder) -> bool:
    """Whether it holds what `gh classroom clone` makes for one assignment: repositories in <assignment>-submissions."""
    return folder.title.endswith("-submissions") and any(map(_is_repository, folder.bearing))


def _is_of_gradescope(folder: _Folder) -> bool:
    """Whether a folder is Gradescope's export, by its list of students or by the names that Gradescope gave."""
    return f"{folder.path}{gradescope_export.FILE}" in folder.files or bool(
        _EXPORT.match(folder.title) and folder.bearing and all(map(_OF_EXPORT.fullmatch, folder.folders))
    )


def _times(submitted: _Folder) -> list[bool]:
    """Of each student's assignment, whether nbgrader's timestamp.txt lies beside the files."""
    return [
        f"{assignment.path}{_TIMESTAMP}" in assignment.files
        for student in submitted.bearing for assignment in student.bearing
    ]  # fmt: skip


def _in_utc(text: str) -> str | None:
    """A time as nbgrader writes it, in UTC; None where it is none, or one of an unknown zone."""
    try:
        day, zone = _TIME.fullmatch(text).groups()  # type: ignore[union-attr]
        then = datetime.datetime.fromisoformat(day).replace(tzinfo=_zone(zone))
        return then.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, AttributeError, OverflowError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return None


def _zone(name: str) -> datetime.tzinfo | None:
    if name in ("", "Z", "UTC", "GMT"):
        return datetime.UTC
    offset = _OFFSET.fullmatch(name)
    if offset:
        return datetime.datetime.fromisoformat(f"2000-01-01T00:00{offset[1]}:{offset[2]}").tzinfo
    return zoneinfo.ZoneInfo(name)
