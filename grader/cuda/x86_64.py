"""What an instruction of x86-64 does to memory and to the flow of control, as g++ writes it (AT&T syntax).

The table is closed: an instruction that does not stand in it is refused. r11 is kept free of the compiler, so that an
address can stand in it.
"""

from __future__ import annotations

import re

from .instructions import Access, Step, Unknown, Unsized

FLAGS = (
    "-march=x86-64 -mtune=generic -mno-red-zone -maccumulate-outgoing-args -mstringop-strategy=libcall "
    "-fcf-protection=none -ffixed-r11"
).split()
OFF_THE_END = ["\tcall\tcpu_off_the_end@PLT"]
ENTERED = ["\tcall\tcpu_entered@PLT"]
LEAVING = ["\tcall\tcpu_leaving@PLT"]

_WIDTHS = {"b": 1, "w": 2, "l": 4, "q": 8}
_SUFFIXED = re.compile(
    r"(mov|movabs|add|sub|and|or|xor|cmp|test|adc|sbb|neg|not|inc|dec|imul|mul|div|idiv|sal|sar|shl|shr|rol|ror|shld|shrd|"
    r"lea|bswap|bsf|bsr|bt[csr]?)([bwlq])"
)
_EXTENDED = re.compile(r"mov[sz]([bwl])[wlq]|movslq")
_MOVED = {"movss": 4, "movsd": 8, "movd": 4, "movlps": 8, "movhps": 8, "movlpd": 8, "movhpd": 8} | dict.fromkeys(
    "movaps movups movapd movupd movdqa movdqu".split(), 16
)
_FLOATS = "add|sub|mul|div|min|max|sqrt|and|andn|or|xor|unpck[lh]|shuf|cmp\\w*"
_SSE = [
    (re.compile(p), width)
    for p, width in (
        (rf"(?:{_FLOATS}|u?comi)ss|cvtt?ss2(?:si[lq]?|sd)|cvtsi2s[sd]l?", 4),
        (rf"(?:{_FLOATS}|u?comi)sd|cvtt?sd2(?:si[lq]?|ss)|cvtsi2s[sd]q|cvtps2pd|cvtdq2pd", 8),
        (rf"(?:{_FLOATS})p[sd]|cvtdq2ps|cvtt?p[sd]2dq|cvtpd2ps|movmskp[sd]|movhlps|movlhps|movddup", 16),
        (r"p(?:add|sub|mul|and|or|xor|cmp|unpck|shuf|max|min|sll|srl|sra|ack|avg|movmsk)\w*", 16),
    )
]
# No operand of theirs is in memory.
_PLAIN = re.compile(r"nop[wl]?|cltq|cltd|cqto|cwtl|cwtd")
_JUMP = re.compile(r"j[a-z]+")
_MEMORY = re.compile(r"(?P<name>[^()*$%]*)\((?P<registers>[^()]*)\)|[^()*$%]+")
_CONSTANT = re.compile(r"\.LC\d+\(%rip\)|[\w.$]+@GOTPCREL\(%rip\)")
_OPERAND = re.compile(r"(?:[^,(]|\([^)]*\))+")
_LOADS_ONLY = ("cmp", "test", "mul", "imul", "div", "idiv")
_STACK = re.compile(r"%[er]?spl?")


def step(text: str) -> Step:
    """What an instruction does. Raises Unknown."""
    mnemonic, _, rest = text.partition("\t")
    operands = [operand.strip() for operand in _OPERAND.findall(rest)]
    if mnemonic == "ret" and not operands:
        return Step(returns=True)
    if mnemonic == "ud2":
        return Step(ends=True)
    if mnemonic == "call" or _JUMP.fullmatch(mnemonic):
        return _flow(mnemonic, operands)
    if mnemonic in ("pushq", "popq"):
        if len(operands) != 1 or not operands[0].startswith("%") or _STACK.fullmatch(operands[0]):
            raise Unknown(text)
        return Step(pushes=mnemonic == "pushq")
    if "%r11" in rest or any(":" in operand for operand in operands):
        raise Unknown(text)
    if operands and _STACK.fullmatch(operands[-1]) and not re.match("cmp|test", mnemonic):
        return _of_the_stack(text, mnemonic, operands)
    places = [i for i, operand in enumerate(operands) if _MEMORY.fullmatch(operand)]
    if _PLAIN.fullmatch(mnemonic) or re.fullmatch(r"lea[lq]", mnemonic):
        return Step()
    width, kind = _width(mnemonic, operands)
    if not width or len(places) > 1 or (places and mnemonic.startswith("bt")):  # a bit of memory may lie anywhere
        raise Unknown(text)
    return Step(accesses=_accesses(operands, places[0], width, kind, mnemonic) if places else ())


def _flow(mnemonic: str, operands: list[str]) -> Step:
    if len(operands) != 1 or not re.fullmatch(r"[\w.$]+(@PLT)?", operands[0]):
        raise Unknown("")
    name = operands[0].removesuffix("@PLT")
    return Step(call=name) if mnemonic == "call" else Step(jump=name)


def _of_the_stack(text: str, mnemonic: str, operands: list[str]) -> Step:
    """Only a constant may move the stack pointer."""
    if mnemonic not in ("subq", "addq") or not re.fullmatch(r"\$-?\d+", operands[0]):
        raise Unsized(text)
    moved = int(operands[0][1:]) * (1 if mnemonic == "subq" else -1)
    return Step(frame=moved) if moved > 0 else Step()


def _width(mnemonic: str, operands: list[str]) -> tuple[int, str]:
    """(bytes of its operand in memory, how it is accessed: "move", "load", "change"), (0, "") for unknown ones."""
    if suffixed := _SUFFIXED.fullmatch(mnemonic):
        kind = "move" if suffixed[1] in ("mov", "movabs") else "load" if suffixed[1] in _LOADS_ONLY else "change"
        return _WIDTHS[suffixed[2]], kind
    if extended := _EXTENDED.fullmatch(mnemonic):
        return _WIDTHS[extended[1] or "l"], "load"
    if mnemonic in _MOVED:
        return _MOVED[mnemonic], "move"
    if mnemonic == "movq":
        return 8, "move"
    if re.fullmatch(r"set[a-z]+", mnemonic):
        return 1, "move"
    if moved := re.fullmatch(r"cmov[a-z]+?", mnemonic):
        return _of_register(operands[-1]) if moved else 0, "load"
    return next(((width, "load") for pattern, width in _SSE if pattern.fullmatch(mnemonic)), (0, ""))


def _of_register(register: str) -> int:
    return 8 if re.fullmatch(r"%r(\d+|[a-z]{2})", register) else 4 if re.fullmatch(r"%(e\w+|r\d+d)", register) else 2


def _accesses(operands: list[str], at: int, width: int, kind: str, mnemonic: str) -> tuple[Access, ...]:
    operand = operands[at]
    if _CONSTANT.fullmatch(operand) and at < len(operands) - 1:
        return ()
    found = re.fullmatch(r"(\d*)\(%rsp\)", operand)
    offset = int(found[1] or 0) if found else None
    aligned = mnemonic in ("movaps", "movdqa", "movapd") or (width == 16 and kind == "load")
    last = at == len(operands) - 1
    stores = last and kind in ("move", "change")
    loads = not stores or kind == "change"
    made = []
    if loads:
        made.append(Access("load", width, aligned, operand, offset))
    if stores:
        made.append(Access("store", width, aligned, operand, offset))
    return tuple(made)


def check(access: Access) -> list[str]:
    """The instructions that check an access before it happens."""
    size = f"{access.size}a" if access.aligned else access.size
    return [f"\tleaq\t{access.operand}, %r11", f"\tcall\tcpu_{access.how}{size}@PLT"]
