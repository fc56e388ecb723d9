"""The messages of the lessons and pages, and the same text with other messages in their places.

A message is a paragraph, a heading, an item of a list, a row of a table, the description of a picture, or a comment of
code. It has one line, without the marks around it, so that a page that is wrapped anew has the same messages. A
docstring is code and stays; its paragraphs are messages too, and their translations stand below it as a comment.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable

from grader.language.wrap import wrap

Say = Callable[[str], str]  # a message in, its translation or the message itself out
_MARKS = re.compile(r"(\s*(?:#{1,6} |[-*] |\d+\. |> )?)(.*)", re.DOTALL)
_SUMMARY = re.compile(r"(<details><summary>)(.*)(</summary>)")
_PICTURE = re.compile(r"!\[([^]]*)\](\([^)\s]+\))")  # its description is a message
_COMMENT = re.compile(r"(.*\S {2,}# )(\w.*)")
# Lines and blocks that hold no sentence.
_RAW = re.compile(r"\s*(?:\||:?-+:?)+\s*$|</?\w[^>]*>$|\$\$|\[!\[|<!--|<img")
_ONE = r"(?:\*\*[^*\n]+\*\*|\[[^]\n]+\]\([^)\n]+\))"
_LANGUAGES = rf"{_ONE}(?: · {_ONE})+"
SWITCH = re.compile(rf"\n\n{_LANGUAGES}(?=\n)")  # the line of a text's languages below its title
_WORDS = re.compile(r"[A-Za-z]{2,}")
_NO_SENTENCE = re.compile(r"#*\s*(?:TODO [\d.]+(?: \(\d of \d\))?|language: \w+|fmt: \w+)\s*$")
_WIDTH = 100  # columns of a comment


def markdown(text: str, say: Say) -> str:
    """A text in Markdown whose messages went through `say`."""
    done: list[str] = []
    for fenced, lines in _fences(text.split("\n")):
        plain = fenced and lines[0].strip() == "```text"
        if plain:
            done += [_said(line, say) for line in lines]
        else:
            done += [_commented(line, say) for line in lines] if fenced else _blocks(lines, say)
    return "\n".join(done)


def _commented(line: str, say: Say) -> str:
    """A line of a block of code whose comment at its end went through `say`."""
    found = _COMMENT.fullmatch(line)
    return found[1] + _said(found[2], say) if found else line


def _fences(lines: list[str]):
    """(whether they are a block of code, lines), one after the other."""
    part: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith("```"):
            if inside:
                yield True, [*part, line]
                part = []
            else:
                yield False, part
                part = [line]
            inside = not inside
        else:
            part.append(line)
    yield inside, part


def _blocks(lines: list[str], say: Say) -> list[str]:
    done: list[str] = []
    piece: list[str] = []
    for line in [*lines, ""]:
        quoted = line.startswith("> ") and piece and piece[0].startswith("> ")
        new = not line.strip() or re.match(r"\s*(?:[-*] |\d+\. |#{1,6} |\||>|<)", line) and not quoted
        if new and piece:
            done.append(_piece(piece, say))
            piece = []
        if line.strip():
            piece.append(line)
            if re.match(r"\s*(?:#{1,6} |\||<)|>$", line):
                done.append(_piece(piece, say))
                piece = []
        else:
            done.append(line)
    return done[:-1]


def _piece(lines: list[str], say: Say) -> str:
    found = _SUMMARY.fullmatch(lines[0])
    if found:
        return found[1] + _said(found[2], say) + found[3]
    picture = _PICTURE.fullmatch(" ".join(line.strip() for line in lines))
    if picture:
        return f"![{_said(picture[1], say)}]{picture[2]}"
    if _RAW.match(lines[0]) or re.fullmatch(_LANGUAGES, lines[0]):
        return "\n".join(lines)
    marks, first = _MARKS.fullmatch(lines[0]).groups()
    return marks + _said(" ".join([first.strip(), *(line.strip().removeprefix("> ") for line in lines[1:])]), say)


def _said(message: str, say: Say) -> str:
    return say(message) if _WORDS.search(_without_code(message)) else message


def _without_code(message: str) -> str:
    return re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)", "", message)


def code(source: str, say: Say) -> str:
    """A code cell whose comments went through `say`, with what its docstrings say below them."""
    lines = source.split("\n")
    edits = _comments(source, say) + _docstrings(source, say) + _cuda(source, say)
    for first, last, new in sorted(edits, reverse=True):
        lines[first:last] = new
    return "\n".join(lines)


def _comments(source: str, say: Say) -> list[tuple[int, int, list[str]]]:
    """(first line, line after the last one, new lines) for each comment of Python."""
    edits, own = [], []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        row, column = token.start[0] - 1, token.start[1]
        before = token.line[:column]
        if before.strip():
            mark, message = re.fullmatch(r"(#+\s*)(.*)", token.string).groups()
            if _WORDS.search(message) and not _NO_SENTENCE.fullmatch(token.string):
                edits.append((row, row + 1, [before + mark + say(message)]))
        elif own and own[-1][1] == row and own[-1][2] == before:
            own[-1] = (own[-1][0], row + 1, before, [*own[-1][3], token.string])
        else:
            own.append((row, row + 1, before, [token.string]))
    blocks = [(first, last, _block(indent, "#", texts, say)) for first, last, indent, texts in own]
    return edits + [each for each in blocks if each[2]]


def _block(indent: str, mark: str, texts: list[str], say: Say) -> list[str]:
    """The lines of a comment that has lines of its own, empty where it holds no sentence."""
    plain = [text.removeprefix(mark).strip() for text in texts]
    title = "@title " if plain[0].startswith("@title ") else ""
    message = " ".join(plain).removeprefix(title)
    if not _WORDS.search(message) or _NO_SENTENCE.fullmatch(message) or re.match(r"#|noqa|fmt:", message):
        return []
    return wrap(say(message), _WIDTH if not title else 10_000, f"{indent}{mark} {title}", f"{indent}{mark} ")


def _docstrings(source: str, say: Say) -> list[tuple[int, int, list[str]]]:
    """Insertions: what each docstring says, as a comment below it. Nothing where it has no translation."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or ast.get_docstring(node) is None:
            continue
        told = node.body[0]
        new: list[str] = []
        for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node)):
            message = " ".join(paragraph.split())
            said = _said(message, say)
            new += wrap(said, _WIDTH, *[" " * told.col_offset + "# "] * 2) if said != message else []
        found.append((told.end_lineno, told.end_lineno, new))
    return found


def _cuda(source: str, say: Say) -> list[tuple[int, int, list[str]]]:
    """The comments of kernels in CUDA C++, which are text within a string."""
    if not re.search(r"__(?:global|device|shfl)_", source):
        return []
    edits, own = [], []
    for row, line in enumerate(source.split("\n")):
        found = re.fullmatch(r"(.*?)(// *)(.*)", line)
        if not found or "#" in found[1] or '"' in found[1]:
            continue
        if not found[1].strip():
            if own and own[-1][1] == row:
                own[-1] = (own[-1][0], row + 1, found[1], [*own[-1][3], line.strip()])
            else:
                own.append((row, row + 1, found[1], [line.strip()]))
        elif _is_cuda(found[3]):
            edits.append((row, row + 1, [found[1] + found[2] + say(found[3])]))
    blocks = [each for each in own if _is_cuda(" ".join(each[3]))]
    return edits + [(first, last, _block(indent, "//", texts, say)) for first, last, indent, texts in blocks]


def _is_cuda(comment: str) -> bool:
    """Whether a comment of C++ says something. One with a single word is a place that a cell replaces."""
    return len(_WORDS.findall(comment)) > 1


def lost(message: str, translation: str) -> list[str]:
    """Sentences about what a translation lacks: code, formulas, links, placeholders and numbers of the message."""
    found = []
    for kind, pattern in (
        ("code", r"`[^`]+`"), ("formula", r"\$[^$]+\$"), ("link", r"\]\(([^)]+)\)"), ("placeholder", r"\{\w+\}"),
        ("number", r"\d+(?:[.,]\d+)*"),
    ):  # fmt: skip
        plain: tuple[str, ...] = (message, translation) if kind not in ("placeholder", "number") else (
            re.sub(r"\]\([^)]+\)", "]", message), re.sub(r"\]\([^)]+\)", "]", translation))  # fmt: skip
        if kind == "link":  # a call with an index looks like one
            plain = tuple(re.sub("`[^`]*`", "`", text) for text in plain)
        if kind == "number":  # the line in a file, which is another one in another language
            plain = tuple(re.sub(r"(?<=\.py):\d+", "", text) for text in plain)
        want, have = (re.findall(pattern, text) for text in plain)
        if kind == "code":  # what a learner fills in is words, as in `tl.load(<address>)`
            want, have = ([re.sub("<[^<>`]*>", "<>", each) for each in spans] for spans in (want, have))
        found += [f"{kind} {each} is lost" for each in dict.fromkeys(want) if each not in have]
    return found
