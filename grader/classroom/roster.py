"""The students of a class as platforms list them, and the one student that a name or a number in a hand-in means.

A roster is one or more CSV files, as Canvas, Moodle, Gradescope and GitHub Classroom export them. Two lines are one
person if they share an e-mail address, a login, a student's number, or Canvas' id; and if not, a name that nobody else
has.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..sentence import listed, said
from . import file_names
from .sanitize import plain
from .tables import NotATable, Table, parse

# What a column holds -> its headers, in lower case: Canvas, Moodle, Gradescope, GitHub Classroom, by hand, in Chinese.
_COLUMNS = {
    "name": ("student", "full name", "name", "student name", "students", "姓名", "学生", "全名"),
    "first": ("first name", "given name", "firstname", "vorname", "名", "名字"),
    "last": ("last name", "surname", "family name", "lastname", "nachname", "姓", "姓氏"),
    "canvas": ("id", "canvas user id", "canvas id"),
    "number": ("sis user id", "sis id", "sid", "id number", "student id", "student number", "integration id",
        "orgdefinedid", "学号"),
    "login": ("sis login id", "login id", "login", "username", "user name", "用户名", "账号"),
    "email": ("email", "email address", "e-mail", "e-mail address", "mail", "电子邮件", "电子邮件地址", "邮箱"),
    "github": ("github_username", "github username", "github login", "github", "github_login"),
    "identifier": ("identifier", "roster_identifier", "标识符", "teilnehmernummer"),
    "section": ("section", "sections", "section name", "group", "groups", "group_name", "班级", "小组"),
    "role": ("role", "roles", "角色"),
}  # fmt: skip
_NAMING = {"name", "first", "last", "canvas", "number", "login", "email", "github", "identifier"}
_SHARED = ("email", "login", "number", "github", "canvas")  # kinds of identifiers that tell two lines of one person
# Moodle's worksheet calls somebody "Participant 101"; the number stands in the names of files that Moodle hands out.
_PARTICIPANT = re.compile(r"(?:participant|teilnehmer\S*|参与者)\s*([0-9]{1,18})", re.IGNORECASE)
# A number of a student's in a name, or what stands in brackets.
_IN_A_NAME = re.compile(r"[0-9]{4,18}|(?<=[(（])[^()（）]+(?=[)）]$)")
_ADDRESS = re.compile(r"[\w.+-]+@[^\W_]+(?:[.-][^\W_]+)+")  # what follows a "_" is no part of it
_WITH_NUMBER = re.compile(r"(.+)_([0-9]{1,18})", re.DOTALL)  # what file_names makes of Canvas' and Moodle's names
_NUMBERED = re.compile(r"(.+)[_ -]([0-9]{1,18})", re.DOTALL)  # as people number files, too
_LED_BY_A_NUMBER = re.compile(r"(?:[Ll])?[0-9]{1,2}[ _-]+(.*[^\W\d_].*)")  # 04_Ada, or L04-Ada
_FAMILY_FIRST = re.compile("[\u3400-\u9fff\uac00-\ud7a3·]+")  # names in Chinese characters or Hangul
_NO_STUDENTS = ("points possible", "student, test", "test student")  # lines of Canvas' gradebook
_NO_NAMES = ("date", "points")  # lines of Google Classroom's export, below the column of last names
# Letters that Unicode does not take apart into a letter and its accent, and those that German also writes as two.
_STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})
_STUDENT_ROLES = ("", "student", "studentenrollment", "学生")


class NotARoster(Exception):
    """The file lists no students. The message says why."""


@dataclass(frozen=True)
class Person:
    """A student.

    key: the most readable of what identifies the student: login, e-mail address, number, account, name. name: in the
    order in which it is spoken. section: several with a comma between them. ids: (kind, value), values in lower case.
    """

    key: str
    name: str
    section: str = ""
    ids: frozenset[tuple[str, str]] = frozenset()

    def id(self, kind: str) -> str:
        """The identifier of a kind, "" if the roster has none: email, login, number, github, canvas, participant."""
        return min((value for of, value in self.ids if of == kind), default="")

    @property
    def email(self) -> str:
        """The e-mail address, "" if the roster does not say."""
        return self.id("email")


class Roster:
    """The students of a class, in the order of their names."""

    def __init__(self, people: Iterable[Person] = ()):
        self.people = tuple(sorted(people, key=lambda person: (person.name.casefold(), person.key)))
        self._by_id: dict[tuple[str, str], list[Person]] = defaultdict(list)
        self._by_value: dict[str, list[Person]] = defaultdict(list)
        self._by_number: dict[str, list[Person]] = defaultdict(list)  # without leading zeros
        self._by_local: dict[str, list[Person]] = defaultdict(list)
        self._by_name: dict[tuple, list[Person]] = defaultdict(list)
        self._by_flat: dict[str, list[Person]] = defaultdict(list)
        self._by_spelling: dict[str, list[Person]] = defaultdict(list)
        for person in self.people:
            for kind, value in person.ids:
                self._by_id[kind, value].append(person)
                if kind not in ("canvas", "participant"):  # bare numbers, which say nothing without their platform
                    _once(self._by_value[value], person)
                    if number := _without_zeros(value):
                        _once(self._by_number[number], person)
            _once(self._by_value[_folded(person.key)], person)
            for login in {value.partition("@")[0] for kind, value in person.ids if kind in ("email", "login")}:
                _once(self._by_local[login], person)
            if words := _words(person.name):
                self._by_name[words].append(person)
            for flat in {_flat(person.name), _flat(_turned(person.name))} - {""}:
                self._by_flat[flat].append(person)
            for spelling in _spellings(person.name) | _spellings(_turned(person.name)):
                self._by_spelling[spelling].append(person)

    def __bool__(self) -> bool:
        return bool(self.people)

    def __iter__(self) -> Iterator[Person]:
        return iter(self.people)

    def __len__(self) -> int:
        return len(self.people)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all of them."""
        return tuple(person.name for person in self.people if person.name)

    def called(self, person: Person) -> str:
        """The name of one of the people, and what else tells who it is where somebody else has the same name."""
        name = person.name or person.key
        return f"{name} ({person.key})" if len(self._by_name.get(_words(person.name), ())) > 1 else name

    def find(self, student: str, canvas: tuple[str, str] | None = None) -> list[Person]:
        """The people whom a student of a hand-in may be: one where it is clear, none or several where it is not.

        student: as file_names.read gives it, or what a person writes: login, e-mail address, number, name, account, a
        repository of GitHub Classroom. canvas: Canvas' own (name, user id), which is in its file names.
        """
        if canvas and (found := self._by_id.get(("canvas", canvas[1]))):
            return found
        if canvas and (found := self._named(canvas[0])):
            return found
        text = _folded(student)
        rules: tuple[Callable[[], list[Person] | None], ...] = (
            lambda: self._valued(text) or self._valued(text.removeprefix("'")),
            lambda: self._numbered(student),
            lambda: self._by_local.get(text),
            lambda: self._named(student),
            lambda: self._of_repository(text),
            lambda: self._named_twice(student),
            lambda: self._in_parts(student),
            lambda: self._of_version(student),
        )
        return next((found for rule in rules if (found := rule())), [])

    def find_any(self, names: Iterable[str], canvas: tuple[str, str] | None = None) -> list[Person]:
        """As `find`, by the first of a student's several names that is anybody's."""
        return next((found for name in names if (found := self.find(name, canvas))), [])

    def _valued(self, text: str) -> list[Person]:
        """By an identifier. Spreadsheets take leading zeros from numbers, so those count where nobody has the whole."""
        return self._by_value.get(text) or self._by_number.get(_without_zeros(text)) or []

    def _named(self, name: str) -> list[Person]:
        """By a whole name: its words in any order, else its letters, else these without accents."""
        words = _words(name)
        found = (self._by_name.get(words) if words else None) or self._by_flat.get(_flat(name))
        if found:
            return found
        alike: list[Person] = []
        for spelling in sorted(_spellings(name)):
            for person in self._by_spelling.get(spelling, ()):
                _once(alike, person)
        return alike

    def _of_version(self, student: str) -> list[Person]:
        """Of a name with "final", "v2" or the like behind it. "Kim New" may be somebody's whole name, and no "kim"."""
        plain_name = file_names.without_marks_of_a_version(student)
        whole = " " not in student or len(_words(plain_name)) > 1 or not plain_name.isascii()
        return self.find(plain_name) if plain_name != student and whole else []

    def _numbered(self, student: str) -> list[Person] | None:
        """Of a name with a number behind it, as Moodle and Canvas make them."""
        found = _WITH_NUMBER.fullmatch(student)
        if not found:
            return None
        of_number = self._by_id.get(("participant", found[2])) or self._by_id.get(("canvas", found[2])) or []
        of_name = self._named(found[1])
        both = [person for person in of_name if person in of_number]
        return both or of_name or of_number

    def _named_twice(self, student: str) -> list[Person]:
        """Of a name beside a number or a login of the same person, as in "2026001_张伟" and "Lovelace, Ada(alove)"."""
        for found in _IN_A_NAME.finditer(student):
            rest = (student[: found.start()] + " " + student[found.end() :]).strip(" _-+()（）")
            of_name = self._named(rest)
            if both := [each for each in self._valued(_folded(found[0])) if each in of_name]:
                return both
        return []

    def _in_parts(self, student: str) -> list[Person]:
        """Of a name beside other words, as in "hw_Ada Lovelace" and "Re_ homework - Ada Lovelace <ada@uni.edu>".

        A part counts where it is an e-mail address, or a whole name of two words or in another script than Latin: one
        word may be anything. Nobody is meant for sure where parts are of two people, or a number or a login is not of
        this one.
        """
        addresses = [_folded(each) for each in _ADDRESS.findall(student)]
        found = [person for each in addresses for person in self._by_id.get(("email", each), ())]
        for part in re.split(r"_| [-–—] |\+|[<>()（）]", student):
            words = _words(part)
            if len(words) > 1 or not part.isascii():
                found += self._named(part)
        if not found or any(person != found[0] for person in found):
            return []
        numbers = {number for number in re.findall(r"[0-9]{5,18}", student) if not self._valued(number)}
        words = {_folded(word) for word in (*re.findall(r"[\w.+@-]+", student), *re.findall(r"[^\W_]+", student))}
        others = [person for word in words for person in self._valued(word) if person != found[0]]
        return [] if numbers or others else found[:1]

    def _of_repository(self, text: str) -> list[Person] | None:
        """Of a repository of GitHub Classroom: the assignment's name, a hyphen, the account; in a zip, the branch."""
        for name in (text, re.sub("-(?:main|master)$", "", text)):
            for at in (at for at, sign in enumerate(name) if sign == "-"):
                if found := self._by_id.get(("github", name[at + 1 :])):
                    return found
        return None


def stranger(student: str, canvas: tuple[str, str] | None = None) -> Person:
    """Somebody whom no roster lists. student, canvas: see Roster.find."""
    named = _WITH_NUMBER.fullmatch(student)
    name = canvas[0] if canvas else named[1] if named else student
    return Person(student, plain(name), "", frozenset([("canvas", canvas[1])] if canvas else []))


def spelled_alike(students: Iterable[str]) -> list[list[str]]:
    """Groups of students whose names differ in nothing but case, spaces, marks, accents, where the first name stands,
    and what a copy or a version of a file is called.
    """
    found: dict[str, list[str]] = {}
    for student in students:
        spoken = _spoken(file_names.without_marks_of_a_version(student))
        found.setdefault(min(_spellings(spoken), default=_flat(spoken)), []).append(student)
    return [group for flat, group in found.items() if flat and len(group) > 1]


def perhaps_one(
    students: Iterable[tuple[str, Iterable[str], str | None]], lessons: Mapping[str, set[str]] | None = None
) -> list[list[str]]:
    """Groups of students who have one name, perhaps with the last name first, and whom no platform tells apart.

    students: (key, names, platform) of each; None for a platform where a person gave the name. lessons: by key, those
    of which there are files. "bob-00" and "bob-04" are no two students where each has a file of another lesson, and
    "student_1" and "student_2" are no one where both have files of one.
    """
    lessons = lessons or {}
    found: dict[str, dict[str, str | None]] = defaultdict(dict)
    found_by: dict[str, str | None] = {}
    for key, names, platform in students:
        found_by[key] = platform
        for name in names:
            numbered = _numbered(name) if platform is None else _WITH_NUMBER.fullmatch(name)
            spoken = _spoken(numbered[1] if numbered else name)
            for flat in {_flat(spoken), _flat(_turned(spoken))}:
                if flat and not flat.isdecimal():
                    found[flat][key] = platform
    groups = {
        tuple(sorted(mine)): None
        for mine in found.values() if len(mine) > 1 and (None in mine.values() or len(set(mine.values())) > 1)
    }  # fmt: skip
    return [[*group] for group in groups if not _are_several([*group], found_by, lessons)]


def _numbered(name: str) -> re.Match | None:
    """A name that a person gave, with a number behind or before it; group 1 is the name without it."""
    return _NUMBERED.fullmatch(name) or _LED_BY_A_NUMBER.fullmatch(name)


def _are_several(group: list[str], platforms: Mapping[str, str | None], lessons: Mapping[str, set[str]]) -> bool:
    """Whether a number is all that tells students of whom a person gave the names, and two have files of one lesson."""
    by_hand = all(platforms[key] is None and _numbered(key) for key in group)
    count = Counter(lesson for key in group for lesson in lessons.get(key, ()))
    return by_hand and any(each > 1 for each in count.values())


def read(table: Table) -> list[Person]:
    """The students in a table. Raises NotARoster."""
    columns = table.columns(_COLUMNS)
    if not _NAMING & set(columns):
        heads = listed(list(map(plain, table.header[:12])))
        raise NotARoster(said("none of its columns is known to name a student: {heads}", heads=heads))
    found, of_canvas = [], "student" in [head.casefold() for head in table.header]
    for _, fields in table.under(columns):
        get = {name: fields.get(name, "") for name in _COLUMNS}
        name = get["name"] or f"{get['first']} {get['last']}".strip()
        if name.casefold() in _NO_STUDENTS or get["role"].casefold() not in _STUDENT_ROLES:
            continue
        ids = {(kind, value) for kind in _SHARED if (value := _folded(get[kind].removeprefix("#")))}  # of Brightspace
        if not ids and get["first"] == "" and name.casefold() in _NO_NAMES:
            continue
        ids |= {("email", value) for kind, value in ids if kind == "login" and "@" in value}
        if participant := _PARTICIPANT.fullmatch(get["identifier"]):
            ids.add(("participant", participant[1]))
        elif get["identifier"]:
            ids.add(("identifier", _folded(get["identifier"])))
            name = name or (get["identifier"] if re.search(r"[^\W\d_][,\s]+[^\W\d_]", get["identifier"]) else "")
        if get["canvas"] and not of_canvas:
            ids.add(("number", _folded(get["canvas"])))
        if name or ids:
            found.append(_person(plain(name), plain(get["section"]), ids))
    if not found:
        raise NotARoster(said("it lists no student"))
    return found


def together(files: Iterable[list[Person]]) -> Roster:
    """One roster of several files: who is in two of them is one person."""
    lines = [(number, person) for number, people in enumerate(files) for person in people]
    people: dict[int, Person] = {}
    for each, (_, person) in zip(_by_names(lines, _by_identifiers(lines)), lines):
        people[each] = _one(people[each], person) if each in people else person
    return Roster(_told_apart(list(people.values())))


def _told_apart(people: list[Person]) -> list[Person]:
    """The same people with a key each: of those whom only a name identifies, a number follows the name."""
    count = Counter(person.key for person in people)
    numbered = enumerate(people, 1)
    return [
        replace(person, key=f"{person.key} ({person.id('canvas') or person.id('participant') or number})")
        if count[person.key] > 1
        else person
        for number, person in numbered
    ]


def of_tables(tables: Iterable[tuple[str, bytes | Table]]) -> Roster:
    """The roster of files, given as (name, table or bytes). Raises NotARoster, whose message names the file."""
    found = []
    for name, data in tables:
        try:
            found.append(read(parse(data) if isinstance(data, bytes) else data))
        except (NotATable, NotARoster) as error:
            raise NotARoster(said("{name} is no roster: {error}", name=repr(name), error=error)) from None
    return together(found)


def _by_identifiers(lines: list[tuple[int, Person]]) -> list[int]:
    """The group of each line: the number of the first line that shares an identifier with it, directly or by others."""
    group, owner = list(range(len(lines))), {}
    for at, (_, person) in enumerate(lines):
        for key in _keys(person):
            here, there = group[at], group[owner.setdefault(key, at)]
            if here != there:
                group = [min(here, there) if each in (here, there) else each for each in group]
    return group


def _by_names(lines: list[tuple[int, Person]], group: list[int]) -> list[int]:
    """The groups, with those joined that have a name which nobody else in any of the files has."""
    of_name: dict[tuple, dict[int, list[tuple[int, Person]]]] = defaultdict(lambda: defaultdict(list))
    for each, (file, person) in zip(group, lines):
        if words := _words(person.name):
            of_name[words][each].append((file, person))
    for groups in of_name.values():
        files = [file for mine in groups.values() for file in {file for file, _ in mine}]
        people = [person for mine in groups.values() for _, person in mine]
        alone = len(files) == len(set(files))
        if len(groups) > 1 and alone and not any(_contradict(one, other) for one in people for other in people):
            group = [min(groups) if each in groups else each for each in group]
    return group


def _keys(person: Person) -> set[tuple[str, str]]:
    """What two lines of one person share. GitHub Classroom's identifier may be any of them."""
    keys = {(kind, value) for kind, value in person.ids if kind in _SHARED}
    return keys | {("any", value) for kind, value in person.ids if kind in ("identifier", "email", "number", "login")}


def _contradict(one: Person, other: Person) -> bool:
    """Whether both have a number or a login of their own, and not the same, whatever zeros a number begins with."""
    pairs = ((one.id(kind), other.id(kind)) for kind in ("number", "login"))
    return any(
        first and second and (_without_zeros(first) or first) != (_without_zeros(second) or second)
        for first, second in pairs
    )


def _one(first: Person, second: Person) -> Person:
    sections = dict.fromkeys(part for part in (first.section, second.section) if part)
    return _person(first.name or second.name, ", ".join(sections), {*first.ids, *second.ids})


def _person(name: str, section: str, ids: set[tuple[str, str]]) -> Person:
    of = {kind: value for kind, value in sorted(ids, reverse=True)}
    spoken = _spoken(name)
    key = next((of[kind] for kind in ("login", "email", "number", "github", "identifier") if kind in of), spoken)
    return Person(plain(key or of.get("canvas", "")), spoken, section, frozenset(ids))


def _once(people: list[Person], person: Person) -> None:
    if person not in people:
        people.append(person)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _spoken(name: str) -> str:
    """ "Lovelace, Ada" as "Ada Lovelace", and "张, 伟" as "张伟"."""
    last, comma, first = (part.strip() for part in re.split("([,，]|$)", name, maxsplit=1))
    if comma and _FAMILY_FIRST.fullmatch(last + first):
        return last + first
    return f"{first.strip()} {last.strip()}".strip() if comma else name.strip()


def _turned(name: str) -> str:
    """The last word first, as Canvas writes names into file names."""
    words = name.split()
    return " ".join(words[-1:] + words[:-1])


def _words(name: str) -> tuple[str, ...]:
    """The words of a name in any order."""
    return tuple(sorted(re.findall(r"[^\W_]+", _folded(name))))


def _flat(name: str) -> str:
    """A name in the form of Canvas' file names: letters and digits in lower case."""
    return re.sub(r"[\W_]", "", _folded(name))


def _without_zeros(text: str) -> str:
    """A student's number, of four digits or more, without leading zeros; "" for anything else."""
    digits = text.lstrip("0") if text.isascii() and text.isdecimal() else ""
    return digits if len(digits) >= 4 else ""


def _spellings(name: str) -> set[str]:
    """How a name may be spelled without accents: "Jürgen" as "jurgen" and "juergen". Empty without Latin letters."""
    folded = _folded(name).translate(_STROKES)
    umlauts = folded.translate(_UMLAUTS)
    plain_letters = {
        _flat("".join(sign for sign in unicodedata.normalize("NFKD", each) if not unicodedata.combining(sign)))
        for each in (folded, umlauts)
    }
    return {each for each in plain_letters if each.isascii()} - {""}
