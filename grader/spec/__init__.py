"""The vocabulary of the course: plain data types without behaviour, for use in every room.

Runs in: every process.
May import: nothing of the course.
Start reading: exercise.py (a task), case.py and call.py (its inputs), evidence.py (the record of a call), result.py.
"""

from .answer import Answer
from .call import Call, Given, Helper, Out
from .case import Case
from .detector import Detector
from .evidence import Error, Evidence, Launch, Observations
from .exercise import Exercise
from .panel import Panel, called
from .result import STATUS, Result, sign_of
from .values import Once, Unreadable

__all__ = [
    "STATUS", "Answer", "Call", "Case", "Detector", "Error", "Evidence", "Exercise", "Given", "Helper", "Launch",
    "Observations", "Once", "Out", "Panel", "Result", "Unreadable", "called", "sign_of",
]  # fmt: skip
