"""The vocabulary of the course: plain data types without behaviour, for use in every room.

Runs in: every process.
May import: sentence.
Start reading: exercise.py (a task), case.py and call.py (its inputs), evidence.py (the record of a call), result.py.

exercise    a task; answer: its text; checked: what a notebook file says of an earlier check of it
case, call  one input; one thing to run, with Out, Given and Helper arguments
evidence    everything that came back from one call: error, launches, observations (the schema of the wire)
panel       the accesses of a launch to one tensor, for traces; requests: those of warps to memory
detector    a way to recognise a mistake
result      the verdict on one exercise, and the signs of statuses
lap         how long a function took on one input; of which shape, on which card
values      values without a plain form on the wire; unstored: marks of memory that nothing was stored to
"""

from .answer import Answer
from .call import Call, Given, Helper, Out
from .case import Case
from .checked import Checked
from .detector import Detector
from .evidence import Error, Evidence, Launch, Machine, Observations
from .exercise import Exercise
from .lap import WORDS, Card, Lap, Shape, Way
from .panel import Panel, called
from .requests import MemoryRequests, SharedRequests
from .result import STATUS, Record, Result, all_bounded, bounded, sign_of
from .values import KernelText, LanguageType, Once, Unreadable

__all__ = [
    "STATUS", "WORDS", "Answer", "Call", "Card", "Case", "Checked", "Detector", "Error", "Evidence", "Exercise",
    "Given", "Helper", "KernelText", "LanguageType", "Lap", "Launch", "Machine", "MemoryRequests", "Observations",
    "Once", "Out", "Panel", "Record", "Result", "Shape", "SharedRequests", "Unreadable", "Way", "all_bounded",
    "bounded", "called", "sign_of",
]  # fmt: skip
