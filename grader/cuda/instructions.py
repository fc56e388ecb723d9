"""What the check of compiled kernels has to know of an instruction, whatever the processor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


class Unknown(Exception):
    """An instruction that may do what no check sees."""


class Unsized(Unknown):
    """An instruction that moves the stack pointer by a number that only the running function knows."""


@dataclass(frozen=True)
class Access:
    """One access of an instruction to memory."""

    how: Literal["load", "store"]
    size: int  # bytes
    aligned: bool  # the processor wants an address that 16 divides
    operand: str  # the place, as the assembler writes it
    frame: int | None  # bytes from the stack pointer, if nothing else is in the address


@dataclass(frozen=True)
class Step:
    """What one instruction does."""

    accesses: tuple[Access, ...] = ()
    call: str = ""  # the function that it calls
    jump: str = ""  # the label that it may go to
    returns: bool = False
    frame: int = 0  # bytes that it takes from the stack for the function's variables
    pushes: bool = False  # puts a register onto the stack
    ends: bool = False  # ends the process: g++ takes it that nobody comes here
