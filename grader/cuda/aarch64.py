"""What an instruction of 64-bit ARM does to memory and to the flow of control, as g++ writes it.

The table is closed: an instruction that does not stand in it is refused. Four registers are kept free of the compiler:
x15 for an address, x14 for where a function returns to, and two that the linker uses between a call and its function.
"""

from __future__ import annotations

import re

from .instructions import Access, Step, Unknown, Unsized

FLAGS = (
    "-march=armv8-a -mbranch-protection=none -mno-outline-atomics -mtls-dialect=trad "
    "-ffixed-x14 -ffixed-x15 -ffixed-x16 -ffixed-x17"
).split()
OFF_THE_END = ["\tbl\tcpu_off_the_end"]
ENTERED = ["\tmov\tx14, x30", "\tbl\tcpu_entered", "\tmov\tx30, x14"]
LEAVING = ["\tmov\tx14, x30", "\tbl\tcpu_leaving", "\tmov\tx30, x14"]

_MOVES = re.compile(r"(ld|st)(?:u?r|p)(b|h|sb|sh|sw)?|(ld|st)(?:ur)(b|h|sb|sh|sw)?|(ld)p(sw)")
_NARROW = {"b": 1, "h": 2, "sb": 1, "sh": 2, "sw": 4}
_WIDTHS = {"w": 4, "x": 8, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
_PLACE = re.compile(r"\[(?P<base>x\d+|sp)(?:, *(?P<added>[^\]]+))?\](?P<before>!)?(?:, *#?(?P<after>-?\d+))?")
_CONSTANT = re.compile(r"#?:(?:got_lo12:[\w.$]+|lo12:\.LC\d+)")
_JUMP = re.compile(r"b|b\.?(?:eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al|any|none)|cbn?z|tbn?z")
# No operand of theirs is in memory.
_PLAIN = re.compile(
    r"add|adds|sub|subs|adc|adcs|sbc|sbcs|neg|negs|ngc|mul|mneg|madd|msub|[su]mull|[su]mnegl|[su]maddl|[su]msubl|[su]mulh|"
    r"[su]div|and|ands|bic|bics|orr|orn|eor|eon|mvn|mov|movz|movn|movk|lsl|lsr|asr|ror|extr|"
    r"[su]?bfx|[su]?bfiz|bfi|bfxil|bfc|[su]xt[bhw]|cmp|cmn|tst|ccmp|ccmn|csel|csinc|csinv|csneg|cset|csetm|cinc|cinv|cneg|"
    r"clz|cls|rbit|rev|rev16|rev32|adrp?|nop|hint|mrs|cnt|addv|"
    r"f(?:mov|add|sub|mul|nmul|div|sqrt|abs|neg|max|min|maxnm|minnm|madd|msub|nmadd|nmsub|cmp|cmpe|ccmp|ccmpe|csel|"
    r"cvt|cvt[anmpz][su]|rint[aimnpxz]|mla|mls|cm(?:eq|ge|gt|le|lt))|[su]cvtf|"
    r"movi|mvni|dup|ins|[su]mov|umov|[su]shr|shl|[su]sra|ushll?|sshll?|[su]xtl2?|xtn2?|zip[12]|uzp[12]|trn[12]|ext|bsl|bit|bif|"
    r"cm(?:eq|ge|gt|hi|hs|le|lt|tst)|[su](?:max|min)v?|not|abs"
)


def step(text: str) -> Step:
    """What an instruction does. Raises Unknown."""
    text = text.partition("//")[0].strip()
    mnemonic, _, rest = text.partition("\t")
    operands = [operand.strip() for operand in re.findall(r"(?:[^,\[]|\[[^\]]*\]!?)+", rest)]
    if mnemonic == "ret" and not operands:
        return Step(returns=True)
    if mnemonic == "brk":
        return Step(ends=True)
    if mnemonic == "bl" and re.fullmatch(r"[\w.$]+", rest):
        return Step(call=rest)
    if _JUMP.fullmatch(mnemonic) and re.fullmatch(r"\.L\w+", operands[-1]):
        return Step(jump=operands[-1])
    if re.search(r"\b[xw]1[45]\b", rest):
        raise Unknown(text)
    if (moves := _MOVES.fullmatch(mnemonic)) and "[" in rest:
        return _moved(text, mnemonic, moves, operands, rest[rest.index("[") :])
    if not _PLAIN.fullmatch(mnemonic) or "[" in re.sub(r"v\d+\.\w+\[\d+\]", "", rest):
        raise Unknown(text)
    return _of_the_stack(text, mnemonic, operands) if operands and operands[0] in ("sp", "wsp") else Step()


def _of_the_stack(text: str, mnemonic: str, operands: list[str]) -> Step:
    """Only a constant may move the stack pointer."""
    if mnemonic not in ("cmp", "cmn", "tst"):
        constant = re.fullmatch(r"#?(\d+)", operands[-1])
        if mnemonic not in ("add", "sub") or operands[1:-1] != ["sp"] or not constant:
            raise Unsized(text)
        return Step(frame=int(constant[1])) if mnemonic == "sub" else Step()
    return Step()


def _moved(text: str, mnemonic: str, moves: re.Match, operands: list[str], place: str) -> Step:
    found = _PLACE.fullmatch(place)
    if not found:
        raise Unknown(text)
    how = "load" if mnemonic.startswith("ld") else "store"
    narrow = next((_NARROW[g] for g in moves.groups() if g in _NARROW), 0)
    width = narrow or _WIDTHS.get(operands[0][0], 0)
    pair = mnemonic in ("ldp", "stp", "ldpsw")
    if not width or (narrow and pair and mnemonic != "ldpsw"):
        raise Unknown(text)
    base, added, frame = found["base"], found["added"] or "0", 0
    if _CONSTANT.fullmatch(added) and how == "load" and not pair:
        return Step()
    if base == "sp" and (found["before"] or found["after"]):
        moved = int(found["after"] or added.lstrip("#"))
        if (moved > 0) == bool(found["before"]):  # down before the access, or up after it
            raise Unknown(text)
        return Step(frame=-moved) if moved < 0 else Step()
    number = re.fullmatch(r"#?(-?\d+)", added)
    made = []
    for part in range(2 if pair else 1):
        if pair and not number:
            raise Unknown(text)
        offset = int(number[1]) + part * width if number else None
        frame = offset if base == "sp" and number and offset >= 0 else None
        made.append(Access(how, width, False, f"{base}, {added if offset is None else offset}", frame))
    return Step(accesses=tuple(made))


def check(access: Access) -> list[str]:
    """The instructions that check an access before it happens."""
    base, _, added = access.operand.partition(", ")
    if re.fullmatch(r"-?\d+", added) and not -4096 < int(added) < 4096:
        place = [f"\tmov\tx15, {added}", f"\tadd\tx15, {base}, x15"]
    elif added.startswith("-"):
        place = [f"\tsub\tx15, {base}, {added[1:]}"]
    else:
        place = [f"\tadd\tx15, {base}, {added}"]
    return [*place, "\tmov\tx14, x30", f"\tbl\tcpu_{access.how}{access.size}", "\tmov\tx30, x14"]
