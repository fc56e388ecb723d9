"""A mutant: the course's answer to an exercise with a small change that makes a mistake.

The course's answers to all exercises are in references.json, which tools/build.py makes: packed, so that nobody
reads one by accident. A checkout without solutions/, as in Colab, has them too.
"""

from __future__ import annotations

import base64
import functools
import json
import pathlib
import re
import zlib
from dataclasses import dataclass

REFERENCES = pathlib.Path(__file__).with_name("references.json")


@dataclass(frozen=True)
class Mutant:
    """A wrong answer to each exercise of `of`: the course's answer, in which `new` replaces `old`.

    of: ids of exercises, separated by spaces. times: how often `old` stands in the answer. then: the next change, of
    the changed text; its `of` is empty. replayed: False where a detector names it, so that no replay is needed.
    """

    of: str
    old: str
    new: str
    times: int = 1
    then: Mutant | None = None
    replayed: bool = True

    def __str__(self) -> str:
        change = f"{self.old.strip()!r} becomes {self.new.strip()!r}"
        return f"{change}, and {self.then}" if self.then else change

    def apply(self, text: str) -> str:
        """The changed text. Raises ValueError if `old` does not stand in it as often as stated, or nothing changes."""
        found = text.count(self.old)
        if found != self.times or self.old == self.new:
            raise ValueError(f"{self.old!r} stands {found} times in the answer to {self.of}, expected {self.times}")
        changed = text.replace(self.old, self.new)
        return self.then.apply(changed) if self.then else changed

    def source(self, exercise: str) -> str:
        """The text of this wrong answer to one of the exercises. Raises ValueError as `apply` and `reference` do."""
        return self.apply(reference(exercise))


def several(of: str, old: str, *news: str, times: int = 1, replayed: bool = True) -> tuple[Mutant, ...]:
    """One mutant for each of several texts that may stand in place of `old`; the rest is as in Mutant."""
    return tuple(Mutant(of, old, new, times, replayed=replayed) for new in news)


def also(old: str, new: str, times: int = 1, then: Mutant | None = None) -> Mutant:
    """A further change, for Mutant.then."""
    return Mutant("", old, new, times, then)


def reference(exercise: str) -> str:
    """The course's answer to an exercise. Raises ValueError where none is stored."""
    if exercise not in _references():
        raise ValueError(f"{REFERENCES.name} has no answer to {exercise}: run tools/build.py")
    return _references()[exercise]


@functools.cache
def _references() -> dict[str, str]:
    return unpacked(REFERENCES.read_text(encoding="utf-8")) if REFERENCES.exists() else {}


def plain(answers: dict[str, str]) -> dict[str, str]:
    """{exercise: answer} without the lines that are comments, as mutants change it."""
    return {exercise: re.sub(r"(?m)^ *#.*\n", "", text) for exercise, text in answers.items()}


def packed(answers: dict[str, str]) -> str:
    """The text of references.json for {exercise: answer}."""
    texts = {name: base64.b64encode(zlib.compress(t.encode(), 9)).decode() for name, t in plain(answers).items()}
    return json.dumps(texts, indent=0, sort_keys=True) + "\n"


def unpacked(text: str) -> dict[str, str]:
    """{exercise: answer} of the text of references.json."""
    return {name: zlib.decompress(base64.b64decode(t)).decode() for name, t in json.loads(text).items()}
