"""What does the course say? A sentence is a value: finished English with its template and its values.

Runs in: every process.
May import: nothing of the course.
Start reading: said.py.

said     the type of a sentence, the functions that make one, and sentences joined to one
counted  a number with what is counted
foreign  what Python, PyTorch, Triton and g++ say, which is recognised by its words
tree     a sentence as JSON data, for the wire and for rows
"""

from . import foreign, tree
from .counted import counted
from .said import Said, fault, joined, kind_of, listed, mapped, message, named, said, within

__all__ = [
    "Said",
    "counted",
    "fault",
    "foreign",
    "joined",
    "kind_of",
    "listed",
    "mapped",
    "message",
    "named",
    "said",
    "tree",
    "within",
]
