"""Messages of Python, PyTorch, NumPy, Triton and g++: the only ones that are recognised by their words.

Runs in: every process.
May import: grader/sentence/said.py.
Start reading: kinds.py.

kinds      which kind of message is it, and which name stands in it? Mistakes and verdicts ask this
templates  the sentence that a message is, so that it has a translation
wording    a message in one line, and in words of ours where its own say too little
compilers  the first error in the output of g++ or NVRTC
"""

from .compilers import first_error, names_a_line, of_nvrtc
from .kinds import KINDS, gap, is_a, name_in, todo
from .templates import recognised
from .wording import last_line, of_error, of_python, of_triton, unwrapped, without_repr

__all__ = [
    "KINDS",
    "first_error",
    "gap",
    "is_a",
    "last_line",
    "name_in",
    "names_a_line",
    "of_error",
    "of_nvrtc",
    "of_python",
    "of_triton",
    "recognised",
    "todo",
    "unwrapped",
    "without_repr",
]
