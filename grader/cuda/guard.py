"""Puts a check in front of each access to memory, in the assembly language that g++ makes of a kernel.

The sanitizer tells the runtime of the accesses that the text has: so they are counted as the text writes them. But it
does not tell of all, and it trusts types. Here nothing is left to trust: every instruction that touches memory asks the
runtime first, whether all of its bytes have been told of, and what has not been told of is an access of its own.

What needs no question is a constant place within the function's own frame: no kernel can compute that. Jumps go to
labels of their own function, calls to functions by name; a function returns to where it was called from, or the runtime
ends the launch. An instruction that is in no table is refused.
"""

from __future__ import annotations

import platform
import re

from ..sentence import said
from . import aarch64, kernel_text, x86_64
from .instructions import Access, Step, Unknown, Unsized

LARGEST_FRAME = 64 << 10  # bytes: STACK_BYTES in state.h, which is also what stays inaccessible below each stack
_LABEL = re.compile(r"([\w.$]+):")
_LOCATION = re.compile(r"\t\.loc\s(\d+) (\d+)")
_FILE = re.compile(r'\t\.file\s(\d+) (?:".*?" )?"kernel"')
_CODE = re.compile(r"\t\.text|\t\.section\t\.text[\w.$]*,.*")
_DATA = re.compile(r"\t\.(?:data|bss)|\t\.section\t\.(?:rodata|data|bss|tbss|tdata|debug_|note\.GNU-stack)[\w.$]*\b.*")
_SECTIONS = tuple("\t." + word for word in "text section data bss previous pushsection popsection subsection".split())
_SANITIZERS_OWN = re.compile(r"\t\.section\t\.(?:init|fini)_array\.00099,.*")
_RUN = re.compile(r"\t\.section\t\.(?:init_array|fini_array|ctors|dtors|preinit_array)\b.*")
_ABOUT_CODE = re.compile(
    r"\t\.(?:loc|file|cfi_\w+|p2align|align|balign|type|size|globl|global|hidden|weak|local|comm|ident|protected|internal|arch)\b.*|\t\.set\t[\w.$]+,[\w.$]+"
)
# A constant that is a part of another one, wherever the assembler is told of it.
_PART_OF_A_CONSTANT = re.compile(r"\t\.set\t\.LC\d+,\.LC\d+\+\d+")
_TYPED = re.compile(r"\t\.type\t([\w.$]+), [@%]function")
_SIZE = said("an array's size must be known before the kernel runs, and the alignment of a variable be 16 or less")
_INDIRECT = re.compile(r"(?:notrack )?(?:call|jmp)\t\*|(?:blr|br)\t")


def processor() -> str:
    """The name of this machine's processor, as `guarded` takes it."""
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())


def instruction_set(name: str):
    """The module of a processor: its `step`, its `check` and its FLAGS for g++; None where there is none."""
    return {"x86_64": x86_64, "aarch64": aarch64}.get(name)


def guarded(assembly: str, name: str) -> tuple[str, str]:
    """(the text with its checks, "") of what g++ made of a kernel, or ("", refusal)."""
    writer = _Writer(assembly, instruction_set(name))
    try:
        return writer.written(), ""
    except _Refused as refused:
        return "", kernel_text.refusal(writer.line, refused.args[0])


class _Refused(Exception):
    pass


class _Writer:
    def __init__(self, assembly: str, machine):
        self._lines = assembly.split("\n")
        self._machine = machine
        self._functions = set(_TYPED.findall(assembly))
        self._kernel = {number for number in _FILE.findall(assembly)}
        self._out: list[str] = []
        self._section = "code"
        self._function, self._frame, self._begins = "", 0, False
        self._owner: dict[str, str] = {}  # the function of each label
        self._jumps: list[tuple[int, str, str]] = []  # (line, function, label)
        self.line = 0

    def written(self) -> str:
        for text in self._lines:
            self._one(text)
        for line, function, label in self._jumps:
            if self._owner.get(label) != function:
                self.line = line
                raise _Refused(_unknown(f"a jump to {label}"))
        return "\n".join(self._out)

    def _one(self, text: str) -> None:
        if _PART_OF_A_CONSTANT.fullmatch(text):
            self._out.append(text)
        elif located := _LOCATION.match(text):
            self.line = int(located[2]) if located[1] in self._kernel else self.line
            self._out.append(text)
        elif text.startswith(_SECTIONS):
            self._begin_section(text)
        elif self._section == "none":
            pass
        elif text.startswith("\t") and not text.startswith("\t."):
            self._instruction(text[1:])
        elif self._section == "code":
            self._of_code(text)
        else:
            self._out.append(text)

    def _begin_section(self, text: str) -> None:
        if _SANITIZERS_OWN.fullmatch(text):  # it would call the sanitizer's library when the kernel is loaded
            self._section = "none"
            return
        if _RUN.fullmatch(text):
            raise _Refused(said("a global object with a constructor would run when the kernel is loaded"))
        if not _CODE.fullmatch(text) and not _DATA.fullmatch(text):
            raise _Refused(_unknown(text.strip()))
        self._section = "code" if _CODE.fullmatch(text) else "data"
        self._out.append(text)

    def _of_code(self, text: str) -> None:
        """A line of a section of code that is no instruction."""
        label = _LABEL.fullmatch(text)
        if label and label[1] in self._functions:
            self._out += self._machine.OFF_THE_END if self._function else []
            self._function, self._frame, self._begins = label[1], 0, True
            self._out += [text, *self._machine.ENTERED]
            return
        if label:
            self._owner[label[1]] = self._function
            self._begins = self._begins and not label[1].startswith(".L") or _debug(label[1]) and self._begins
        elif text and not text.startswith("#") and not _ABOUT_CODE.fullmatch(text):
            raise _Refused(_unknown(text.strip()))
        elif text.startswith("\t.size\t") and self._function:
            self._out += self._machine.OFF_THE_END
            self._function = ""
        self._out.append(text)

    def _instruction(self, text: str) -> None:
        step = self._step(text)
        if step.jump:
            self._jumps.append((self.line, self._function, step.jump))
        if step.frame:
            self._take(step.frame)
        if step.pushes:
            self._frame = 0  # the places have moved: all of them are looked up from here on
        if step.jump or step.call:
            self._begins = False
        for access in step.accesses:
            if not self._of_the_frame(access):
                self._out += self._machine.check(access)
        self._out += self._machine.OFF_THE_END if step.ends else self._machine.LEAVING if step.returns else []
        self._out.append("\t" + text)

    def _step(self, text: str) -> Step:
        if _INDIRECT.match(text):
            raise _Refused(said("a kernel calls functions by their names, not by their addresses"))
        try:
            if self._function and self._section == "code":
                return self._machine.step(text)
        except Unsized:
            raise _Refused(_SIZE) from None
        except Unknown:
            pass
        raise _Refused(_unknown(text.expandtabs(1)))

    def _take(self, size: int) -> None:
        if size > LARGEST_FRAME:
            raise _Refused(said("the variables of one thread take more than {most} KB", most=LARGEST_FRAME >> 10))
        self._frame = size if self._begins and not self._frame else 0
        self._begins = False

    def _of_the_frame(self, access: Access) -> bool:
        return access.frame is not None and access.frame + access.size <= self._frame


def _debug(label: str) -> bool:
    return bool(re.fullmatch(r"\.L(?:FB|FE|BB|BE|VL|M|SM|VM)\d+", label))


def _unknown(text: str) -> str:
    return said("the compiler makes of this an instruction that the check does not know: {text}", text=text)
