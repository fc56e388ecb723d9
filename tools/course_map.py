"""The page docs/map.md: lessons in order, with their times and the lessons that each of them needs."""

from __future__ import annotations

import headings

PAGE = headings.ROOT / "docs" / "map.md"

# lesson -> {earlier lesson: what is needed of it}. A lesson also needs the lessons that these need.
NEEDS: dict[str, dict[str, str]] = {
    "00": {},
    "01": {"00": "how a check works"},
    "02": {"01": "the traffic of the five passes"},
    "03": {"00": "how a check works"},
    "04": {"01": "the five passes", "03": "masks, pads and reductions"},
    "05": {"02": "floor and bandwidth", "04": "the kernel of one row"},
    "06": {"05": "strides, and right kernels to test"},
    "07": {"05": "the kernel of every row", "06": "relative errors"},
    "08": {"05": "the kernel of every row"},
    "09": {"08": "the state of a row, and merge"},
    "10": {"05": "the kernel of every row"},
    "11": {"05": "the kernel of every row"},
    "12": {"08": "the state of a row, and merge", "10": "warps and multiprocessors"},
    "13": {"08": "the walk in tiles", "10": "blocks with two axes"},
    "14": {"09": "the function with splits", "10": "tiles, and resident programs"},
    "15": {"10": "registers, occupancy and machine code", "14": "how to measure"},
    "16": {
        "06": "tests of tests", "07": "half precision", "08": "the walk in tiles", "11": "autograd functions",
        "14": "how to measure",
    },
    "17": {"10": "registers, occupancy and machine code", "12": "banks", "14": "a copy's speed"},
}


def page() -> str:
    """The text of docs/map.md for the lessons in solutions/."""
    lessons = headings.of_lessons()
    numbers = {lesson.number for lesson in lessons}
    arrows = [(earlier, each.number) for each in lessons for earlier in NEEDS[each.number] if earlier in numbers]
    lines = [
        "# Map of the lessons",
        "",
        "Made by `python tools/build.py` from `tools/course_map.py`. The times are those of the lessons, for",
        "people who are new to the subject. An arrow leads from a lesson to one that needs it.",
        "",
        "```mermaid",
        "graph LR",
        *(f"    {earlier} --> {later}" for earlier, later in arrows),
        "```",
        "",
        "| lesson | about | needs |",
        "|---|---|---|",
    ]
    for each in lessons:
        needed = "; ".join(f"{earlier}: {what}" for earlier, what in NEEDS[each.number].items()) or "nothing"
        link = f"[{each.number} · {each.title}](../notebooks/{each.stem}.ipynb)"
        lines.append(f"| {link} | {each.about} | {needed} |")
    return "\n".join(lines) + "\n"
