"""Finished English of stored outputs in another language, for the site alone.

The engine looks a sentence up by its template. An executed notebook holds only what was printed, so the way goes back
here: the template that explains most of a text is found, and its translation gets the same values, which are
translated too. A text that no template explains stays English.
"""

from __future__ import annotations

import functools
import html
import re
import string
from typing import NamedTuple

from grader.language import wrap

# How texts are put together from others; these are messages of every catalogue. Each may part a text at several places.
JOINS = {
    "{one} {two}": r"(?<=[.!?…]) +|(?<=^\d) |(?<=^\d\d) ",  # two sentences, or a number and what is counted
    "{one}; {two}": "; ",
    "{one}: {two}": ": +",
    "{one}, {two}": ", ",
    "{one}, and {two}": ", and ",
    "{one} and {two}": " and ",
    "{one} or {two}": " or ",
    "{one} · {two}": " · ",
}
_WITHIN = {"{one}, {two}", "{one}, and {two}", "{one} and {two}", "{one} or {two}"}  # what they join is in one sentence
FRAMES = (
    "{one}, then {two}",
    "{one} ({two})",
    "({one})",
    "{one}.",
    "{one}:",
    "“{one}”",
)  # messages too: what stands around a text
LIST = "1, 2"  # and another one: what stands between the numbers of a list
# Characters of a line that is looked at; commas and full stops of a text that is taken apart, between any two of them.
_LONG, _MOST = 2000, 16
_FEW = 4  # letters; a template with fewer, as `{part} of {all}`, is for numbers, names and known texts
_OURS, _OURS_AMONG_THEIRS = 0.3, 0.6  # a text of which the catalogue explains less is somebody else's
_THEIRS = ("said", "error")  # placeholders for a text of Python or Triton
_JOINED = tuple(",;:(")  # beginnings of a part of a sentence
_SENTENCES = re.compile(r"(?<=[^.][.!?]) (?=[A-Za-z])")
_BEGINNING = re.compile(r"([^{].+[.!?]) (\{\w+\})")
_MARK = re.compile("^[✓✗~·] ")  # before what a check says of a part
_COLUMNS = re.compile(r"( {2,})")  # between two cells of a table
_PARTS = re.compile(r"[.;:] |, ")
_TEXTS = re.compile(r"[.;:] (?!\d)|, (?!\d)")  # without those in a list of numbers
_SEVERAL = re.compile("[.:;] ")  # between two texts
_NAMES = re.compile(r"[\w.]+(?:, [\w.]+)*,? (?:and|or) [\w.]+")
_QUOTED = re.compile(r"`[^`]*`|'[^'\w\s]{1,3}'")  # code, or a sign that a compiler names
# An exception of an answer, as judge/render.py writes it; its message is the rest of the text.
_RAISED = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Interrupt|Iteration|Exit)|error)(?: in the line `([^`]*)`)?: (?!`\ue000)"
)
_OWN_WORDS = re.compile(r"\w+ in the line `raise\b|(?:AssertionError|error) in the line `assert\b")  # an answer's
_MESSAGE = "`\ue000`"  # stands for the message while the text around it is translated
_WORDS = re.compile(r"[A-Za-z]{2,} +[A-Za-z]{2,}")
_QUOTED_TEXT = re.compile("`[^`]*`|'[^']*'")
# What a placeholder may hold, where a word or a number is all that is ever filled in. Anything else is taken by others.
_HOLDS = {"kind": r"[\w.]+", "thread": r"[\d,]+", "block": r"[\d,]+"}
_COUNTS = [("", name) for name in ("count", "number", "num_warps", "programs", "requests")]  # `{count} rows`
_LISTED = re.compile(r"(?:(?:, |(?<!.))(?:[A-Za-z_]\w* )?[-\w.]+){2,}")  # numbers, names, or numbers with a name
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
# A value of Python, which is the same in all languages.
_VALUE = re.compile(r"(?:[-+\[\](){}\d.,: ]|\b(?:True|False|None|inf|nan|e[-+]\d+)\b|'[^']*')+")
_LOOSE = re.compile(
    rf"(`[^`]*`|'[^']*')|(?<=[{_WIDE}]) (?=[{_WIDE}])|(?<=[，。：；？！、）]) (?=\S)|(?<=\S) (?=[，。：；？！、（）])"
)
_PAIR = re.compile(r" ?（([-+\d.e]+|-?inf)(, (?:[-+\d.e]+|-?inf))+）")  # numbers in brackets are a tuple of Python


class _Template(NamedTuple):
    fragment: str  # its longest run of plain text: no text without it fits
    letters: int  # of its plain text
    swallows: str | None  # the placeholder at its end, whose value has all that is left of a text
    code: frozenset[str]  # placeholders for somebody's code or words, which stay as they are
    patterns: tuple[str, ...]  # they part a text at different places, where it can be parted at several
    said: list[tuple[str, str | None]]  # (plain text, placeholder behind it) of the translation


class Catalogue:
    """The sentences of a language. messages: {English: translation}, both with the same {placeholders}."""

    def __init__(self, messages: dict[str, str]):
        self._whole: dict[str, str] = {}
        self._templates: list[_Template] = []
        self._joins: list[tuple[re.Pattern, _Template, bool]] = []
        self._comma = messages.get(LIST, LIST)[1:-1]
        for message, said in messages.items():
            if message in JOINS:
                self._joins.append((re.compile(JOINS[message]), _template(message, said), message in _WITHIN))
            elif message != LIST:
                self._add(message, said)
                # A text that is said sentence by sentence has the beginning of a message by itself.
                if (found := _BEGINNING.fullmatch(message)) and said.endswith(found[2]):
                    self._add(found[1], said.removesuffix(found[2]).rstrip())
        self._best = functools.lru_cache(4096)(self._find)

    def _add(self, message: str, said: str) -> None:
        if any(name for _, name in _parsed(message)) or message[:1] in _JOINED:
            self._templates.append(_template(message, said))
            if message[:1] in _JOINED:  # it stands behind another text
                space = " " * (message[0] == "(")
                self._templates.append(_template("{one}" + space + message, "{one}" + said))
        else:
            self._whole.setdefault(_plain(message), _plain(said))

    def say(self, text: str) -> str:
        """The text in this language, as far as the catalogue goes. Lines, and the space around each, stay."""
        if "\n" in text and text.strip() not in self._whole:
            return "\n".join(self.say(line) for line in text.split("\n"))
        bare = _MARK.sub("", text.strip())
        if not _letters(bare):
            return text
        if raised := _RAISED.search(bare):
            message = bare[raised.end() :]
            around = self.say(bare[: raised.end()] + _MESSAGE)
            own = _OWN_WORDS.match(raised[0])
            return text.replace(bare, around.replace(_MESSAGE, message if own else self._told(message)))
        sentences = _SENTENCES.split(bare)
        many = len(sentences) > 1 and len(_TEXTS.findall(bare)) > _MOST
        covered, said = (0, bare) if many or len(bare) > _LONG else self._best(bare)
        if covered < 0.8 * _letters(bare) and len(sentences) > 1:
            said = " ".join(map(self.say, sentences))
        elif covered < 0.3 * _letters(bare) and _COLUMNS.search(bare):
            said = self._row(bare)
        before, _, after = text.partition(bare)
        if said != bare:
            said = _PAIR.sub(lambda found: f" ({found[0].strip()[1:-1]})", said)
            said = _LOOSE.sub(lambda found: found[1] or "", said)
        return before + said + after

    def _row(self, text: str) -> str:
        """A row of a table, cell by cell. The next cell stays at its column, where there is room."""
        *cells, last = _COLUMNS.split(text)
        said = [(self.say(cell), wrap.columns(cell + space)) for cell, space in zip(cells[::2], cells[1::2])]
        return "".join(wrap.padded(cell, max(width, wrap.columns(cell) + 2)) for cell, width in said) + self.say(last)

    def _told(self, message: str) -> str:
        """The message of an exception: only Python's and the engine's have another language, and only as a whole."""
        said = self.say(message)
        return message if _WORDS.search(_QUOTED_TEXT.sub("", said)) else said

    def _find(self, text: str) -> tuple[float, str]:
        """(letters of the text that the catalogue explains, the text in this language)."""
        letters = _letters(text)
        if text in self._whole:
            return letters, self._whole[text]
        if not letters or re.fullmatch("`[^`]*`|'[^']*'", text):
            return 0, text
        if _is_value(text):
            return letters, text
        best: tuple[float, str] = 0, text
        for template in self._templates:
            for number, values in enumerate(_cuts(template, text) if template.fragment in text else ()):
                few = 0 < template.letters < _FEW
                if few and any(_SEVERAL.search(value) for value in values.values()):
                    continue
                more = -_doubts(values, template.swallows) / 2 - 0.6 * (number > 0) if template.letters else -0.01
                best = max(best, self._filled(template, values, more, whole=few), key=_first)
        if best[0] == letters or len(_TEXTS.findall(text)) > _MOST:
            return best
        for between, template, within in self._joins:
            for found in between.finditer(text):
                parts = {"one": text[: found.start()], "two": text[found.end() :]}
                if all(parts.values()):
                    best = max(best, self._filled(template, parts, -0.01, whole=within), key=_first)
        return best

    def _filled(
        self, template: _Template, values: dict[str, str], more: float, whole: bool = False
    ) -> tuple[float, str]:  # fmt: skip
        """A translation with these values in it, as `_find`. whole: no part may stay as it is, unless it is a name."""
        if not all(_whole(value) for name, value in values.items() if name not in template.code | set(_THEIRS)):
            return 0, ""
        inner = {
            name: (_letters(value), value) if name in template.code else self._within(name, value)
            for name, value in values.items()
        }
        unknown = [values[name] for name, (covered, _) in inner.items() if not _named(values[name], covered)]
        if unknown and whole:
            return 0, ""
        covered = template.letters + more + sum(each for each, _ in inner.values())
        return covered, "".join(plain + (inner[name][1] if name else "") for plain, name in template.said)

    def _within(self, name: str, value: str) -> tuple[float, str]:
        """The value of a template's placeholder, with the space around it."""
        bare, theirs = value.strip(), name in _THEIRS
        if not bare:
            return 0, value
        if name == "list" and _LISTED.fullmatch(bare) and not _WORDS.search(bare):
            return _letters(bare), value.replace(", ", self._comma)
        before, _, after = value.partition(bare)
        covered, said = self._best(bare)
        ours = _OURS_AMONG_THEIRS if theirs else _OURS
        prose = re.sub(r"\w*_\w*", "", bare)  # a name of code is the same in all languages
        if covered < _letters(prose) * ours and not _NAMES.fullmatch(bare):
            # Somebody else's words, with a word of ours in them.
            return (_letters(bare) * 0.6 if theirs else 0), value
        return covered, before + said + after


def _is_value(text: str) -> bool:
    """Whether a text is one value of Python: a colon stands in a dictionary alone."""
    ends = re.search(r"[^.\d][.,:]$", text)  # a sentence, or a part of one
    return bool(_VALUE.fullmatch(text)) and not ends and ": " not in re.sub(r"\{[^{}]*\}", "", text)


def _whole(value: str) -> bool:
    """Whether a value has no piece of code, tuple or list that it shares with what stands beside it."""
    plain = _QUOTED.sub("", value)
    plain = re.sub(r"[\[({].*\.\.\.(?=$| )", "", plain)  # a long value is shown in part
    return "`" not in plain and all(plain.count(a) == plain.count(b) for a, b in ("()", "[]", "{}"))


def _named(value: str, covered: float) -> bool:
    """Whether a value is known text, or a number, a name, or a number with its unit."""
    bare = re.sub(r"\b(?:inf|nan|and|or)\b", "", value)
    simple = not _letters(bare) or not re.search(r"\S +\S", value) or re.fullmatch(r"[\d.,×]+ \w+", value)
    settings = all(re.fullmatch(r"\w+=\S+", part) for part in value.split(", "))
    return covered > 0.8 * _letters(value) or bool(simple) or settings


def _first(pair: tuple[float, str]) -> float:
    return pair[0]


def _doubts(values: dict[str, str], last: str | None) -> float:
    """How likely a cut is a wrong one. last: the placeholder that has all that is left of a text."""
    doubts = 0.0
    for value in values.values():
        if not _is_value(value):
            doubts += len(_PARTS.findall(value))  # it is itself made of several texts
        if re.search(r"[^.][.,;:]$", value):
            doubts += 2  # the end of a sentence is not in a part of it
        doubts += bool(re.search(r"\w \(", value))  # what stands in brackets may belong to the text around the value
    return doubts + 0.5 * bool(last and re.search(r"[A-Za-z] ", values[last]))


def _cuts(template: _Template, text: str) -> list[dict[str, str]]:
    """The values of a template's placeholders in a text, for each place where its patterns part the text."""
    found: list[dict[str, str]] = []
    for pattern in template.patterns:
        match = _compiled(pattern).fullmatch(text)
        if not match:
            break
        if match.groupdict() not in found:
            found.append(match.groupdict())
    return found


_compiled = functools.cache(re.compile)


def _template(message: str, said: str) -> _Template:
    parts = _parsed(message)
    names = list(dict.fromkeys(name for _, name in parts if name))
    code = {name for plain, name in parts if name and plain[-1:] in ("`", "'")}
    code |= {name for (_, name), (behind, _) in zip(parts, parts[1:]) if name and behind.startswith("()")}
    texts = [plain for plain, _ in parts]
    patterns = (_pattern(parts, None), *(_pattern(parts, name) for name in names[:-1]))
    last = parts[-1][1] if len(names) > 1 else None
    return _Template(max(texts, key=len), _letters("".join(texts)), last, frozenset(code), patterns, _parsed(said))


def _pattern(parts: list[tuple[str, str | None]], longest: str | None) -> str:
    """The pattern of a message. longest: the placeholder that takes as much as it can, where others take little."""
    pattern, seen = "", set()
    counted = len(parts) == 2 and parts[0] in _COUNTS and re.fullmatch(r" \w+", parts[1][0])
    for number, (plain, name) in enumerate(parts):
        pattern += re.escape(plain)
        if name:
            # Of two values side by side behind a plain text, the first is whole, and the second may be missing.
            value = ".*" if name == longest else ".*?"
            if plain and number + 1 < len(parts) and not parts[number + 1][0]:
                value = ".+?"
            elif not plain and number and parts[number - 1][0]:
                value = r"|[\s,;:(].*?"
            elif plain[-1:] in ("'", "`"):
                value = f"[^{plain[-1]}]*?"
            elif name in _HOLDS or counted:
                value = _HOLDS.get(name, r"[\d.,]+(?: \w+)?")
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>{value})"
            seen.add(name)
    return pattern


def _parsed(message: str) -> list[tuple[str, str | None]]:
    return [(plain, name) for plain, name, _, _ in string.Formatter().parse(message)]


def _plain(message: str) -> str:
    """A message without placeholders, as it is said: braces are doubled in messages."""
    return "".join(plain for plain, _ in _parsed(message))


def _letters(text: str) -> int:
    return len(re.findall("[A-Za-z]", text))


_TEXT = re.compile(r"(?<=>)[^<>]+(?=<)|(?<=aria-label=\")[^\"]*|(?<=alt=\")[^\"]*|(?<=title=\")[^\"]*")
# Code, styles, drawings, and what a page itself says is not to be translated: names of people and files.
_NO_TEXT = re.compile(r"(<(style|script|pre|code|svg)\b.*?</\2>|<bdi translate=\"no\">.*?</bdi>)", re.DOTALL)


def said_html(page: str, words: Catalogue) -> str:
    """HTML of the engine with its words in a language; code, styles and drawings stay."""
    parts = _NO_TEXT.split(page)  # text, element, its name, text, ...
    for number in range(0, len(parts), 3):
        parts[number] = _TEXT.sub(lambda found: html.escape(words.say(html.unescape(found[0]))), parts[number])
    return "".join(part for number, part in enumerate(parts) if number % 3 != 2)


def escaped(messages: dict[str, str]) -> dict[str, str]:
    """The messages of the engine as templates: a constant stands as it is there, and its braces are doubled here.

    Those that only put sentences together are left out, but for the ones that are known here.
    """
    found = {LIST: messages.get("{item}, {next}", "").replace("{item}", "1").replace("{next}", "2") or LIST}
    for message, said in messages.items():
        if _constant(message):
            found[_doubled(message)] = _doubled(said)
        elif _letters(re.sub(r"\{\w+\}", "", message)) or message in (*JOINS, *FRAMES):
            found[message] = said
    return found


def _constant(message: str) -> bool:
    return not re.search(r"\{\w+\}", message) or bool(re.search(r"\{[^\w{}]|\{\w+[^\w}]", message.replace("{{", "")))


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
