"""The catalogues of other languages: one file in gettext's PO format for each lesson, page and room of the engine.

    locale/zh_Hans/LC_MESSAGES/lesson_04_one_row.po     the text of a lesson, and the comments of its code
    locale/zh_Hans/LC_MESSAGES/page_glossary.po         a page
    locale/zh_Hans/LC_MESSAGES/feedback_judge.po        the sentences of a room of grader/
    grader/language/zh_Hans.json                        all feedback, as the engine reads it

A language is a folder of locale/. A message that changed in English is kept as fuzzy. Its text, and that of a new one,
is English until somebody has looked at it.
"""

from __future__ import annotations

import datetime
import difflib
import json
import pathlib
from collections.abc import Callable

import messages
import nbformat
import opening
import sentences
from babel.messages import pofile
from babel.messages.catalog import Catalog

from grader.notebook import printed

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
PAGES = {"README": "README.md"} | {
    name: f"docs/{name}.md"
    for name in (
        "glossary", "cheat_sheet", "triton_names", "map", "reading", "where_next",
        "open_anywhere", "terminal", "audit", "race", "kernels", "instructors", "teaching", "languages",
    )  # fmt: skip
}
_NOT_DATED = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)  # a catalogue changes where a message does
_RESEMBLES = 0.7  # of two messages, the second one is the first one changed


def languages() -> list[str]:
    """The codes of the languages other than English."""
    return sorted(path.name for path in LOCALE.iterdir() if (path / "LC_MESSAGES").is_dir()) if LOCALE.exists() else []


def short(language: str) -> str:
    """The name of a language's folders: zh for zh_Hans."""
    return language.partition("_")[0]


def path(language: str, domain: str) -> pathlib.Path:
    """The catalogue of a domain, such as lesson_04_one_row."""
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def feedback(language: str) -> pathlib.Path:
    """The file of all feedback in a language, which is a part of the engine."""
    return ROOT / "grader" / "language" / f"{language}.json"


def templates(lessons: dict[str, nbformat.NotebookNode]) -> dict[str, dict[str, str]]:
    """{domain: {message: a note for translators}} for all that is translated. lessons: {stem: learner's notebook}."""
    found: dict[str, dict[str, str]] = {}
    drawn: dict[str, str] = {}
    shown: dict[str, str] = {}

    def heard(domain: str) -> Callable[[str], str]:
        into = found.setdefault(domain, {})
        return lambda message: into.setdefault(message, "") or message

    for stem, notebook in lessons.items():
        translated(nbformat.from_dict(notebook), heard(f"lesson_{stem}"))
        for cell in notebook.cells:
            if cell.cell_type == "code":
                drawn |= dict.fromkeys(sentences.of_drawing(cell.source), "")
                if cell.id != opening.ID:
                    shown |= dict.fromkeys(printed.messages(cell.source), "")
    for name, file in PAGES.items():
        messages.markdown((ROOT / file).read_text(encoding="utf-8"), heard(f"page_{name}"))
    found["feedback_pictures"] = drawn
    found["feedback_cells"] = shown | dict.fromkeys(sentences.of_launchers(), "")
    set_up = [*opening.WORDS.values(), *sentences.of_python(ROOT / "colab_setup.py")]
    found["feedback_setup"] = dict.fromkeys(set_up, "")
    for room, words in sentences.of_engine().items():
        found.setdefault(f"feedback_{room}", {}).update(dict.fromkeys(words, ""))
    return found


def translated(notebook, say: Callable[[str], str]) -> None:
    """Put a notebook's text and comments through `say`, in place."""
    for cell in notebook.cells:
        cell.source = (messages.markdown if cell.cell_type == "markdown" else messages.code)(cell.source, say)


def read(language: str, domain: str) -> Catalog:
    """A stored catalogue, empty where there is none."""
    file = path(language, domain)
    if not file.exists():
        return Catalog(locale=language)
    with file.open("rb") as opened:
        return pofile.read_po(opened, locale=language)


def said(catalog: Catalog) -> dict[str, str]:
    """{message: translation} without what is missing or fuzzy."""
    return {m.id: m.string for m in catalog if m.id and m.string and not m.fuzzy}


def update(language: str, domain: str, wanted: dict[str, str]) -> None:
    """Write the catalogue of a domain: all messages of today, in their order, with the translations that it had."""
    template = Catalog()
    for message, note in wanted.items():
        template.add(message, auto_comments=[note] if note else [])
    catalog = read(language, domain)
    if catalog._messages:
        gone = {m.id: m for m in catalog if m.id and m.string and m.id not in wanted}
        new = [message for message in wanted if message not in catalog]
        catalog.update(template, no_fuzzy_matching=True)
        for message in new:
            for old in difflib.get_close_matches(message, gone, 1, _RESEMBLES):
                catalog[message].string = gone.pop(old).string
                catalog[message].flags.add("fuzzy")
    else:
        catalog = template
        catalog.locale = language
    catalog.project, catalog.version, catalog.header_comment = "Five Passes to One", "", f"# {domain}"
    catalog.fuzzy = False
    catalog.creation_date = catalog.revision_date = _NOT_DATED
    catalog.copyright_holder, catalog.last_translator, catalog.language_team = "", "", language
    file = path(language, domain)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        pofile.write_po(opened, catalog, width=0, ignore_obsolete=True)


def compiled(language: str, domains: list[str]) -> str:
    """The text of the file `feedback(language)`."""
    found: dict[str, str] = {}
    for domain in domains:
        if domain.startswith("feedback_"):
            found |= said(read(language, domain))
    return json.dumps(found, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


def problems(language: str, domain: str, wanted: dict[str, str]) -> list[str]:
    """Sentences about the translations of a domain that have lost something."""
    where, stored = path(language, domain).relative_to(ROOT), said(read(language, domain))
    return [
        f"{where}: {_shortened(message)}: {sentence}"
        for message in wanted if message in stored
        for sentence in messages.lost(message, stored[message])
    ]  # fmt: skip


def untranslated(language: str, domain: str, wanted: dict[str, str]) -> list[str]:
    """Sentences about the messages of a domain that are in English until somebody has translated them."""
    where, found = path(language, domain).relative_to(ROOT), []
    stored = {m.id: m for m in read(language, domain) if m.id}
    for message in wanted:
        have = stored.get(message)
        named = f"{where}: {_shortened(message)}"
        if have is None or not (have.string or have.fuzzy):
            found.append(f"{named} is new, and has no translation")
        elif have.fuzzy:
            found.append(f"{named} changed in English; look at its translation, and take its mark `fuzzy` away")
    return found


def _shortened(message: str) -> str:
    return f"“{message if len(message) <= 60 else message[:60] + '…'}”"
