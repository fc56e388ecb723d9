"""In which language does the course speak? The engine makes sentences in English, and here another one is looked up.

Runs in: notebooks, the command line, and what writes reports. Workers know no language: a verdict is the same in all.
May import: sentence.
Start reading: catalogue.py.

catalogue   the translations of a language, and how a sentence gets its own
choose      which language this process speaks; say, between
wrap        lines and columns where characters are wide
"""

from .choose import Unknown, between, language, languages, named_in, say, speaking, use, use_of, without_name

__all__ = [
    "Unknown",
    "between",
    "language",
    "languages",
    "named_in",
    "say",
    "speaking",
    "use",
    "use_of",
    "without_name",
]
