"""Values that cannot be sent as plain data: iterators, kernels, types of Triton's language and unknown objects."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Once:
    """Values that arrive as an iterator, so that the receiver can read them once only."""

    values: list


class Unreadable:
    """The placeholder for a value without a plain form; unequal to every other object. kind: name of its type."""

    def __init__(self, kind: str):
        self.kind = kind

    def __repr__(self):
        return f"<{self.kind}>"


class LanguageType(Unreadable):
    """A type of triton.language, where nobody imports Triton. name: such as fp32."""

    def __init__(self, name: str):
        super().__init__(name)
        self.name = name


class KernelText(Unreadable):
    """A kernel that is a constant of another one's launch. program: its KernelProgram, as JSON text."""

    def __init__(self, program: str):
        super().__init__(f"kernel {hashlib.sha256(program.encode()).hexdigest()[:16]}")
        self.program = program
