"""In which language does the course speak? The engine writes English sentences, and they are said in another one here.

Runs in: notebooks, the command line, and what writes reports. Workers know no language: a verdict is the same in all.
May import: nothing of the course.
Start reading: catalogue.py.

catalogue   how a finished sentence is put into a language
choose      which language this process speaks; say, say_html
wrap        lines and columns where characters are wide
"""

from .choose import Unknown, language, languages, say, say_html, speaking, use, use_of

__all__ = ["Unknown", "language", "languages", "say", "say_html", "speaking", "use", "use_of"]
