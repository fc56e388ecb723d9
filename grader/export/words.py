"""The record of one exercise in words, the same in every format."""

from __future__ import annotations

from ..mistakes.registry import MISTAKES

STATUS = {
    "passed": ("✓", "passed"),
    "failed": ("✗", "failed"),
    "error": ("✗", "ended in an error"),
    "timeout": ("✗", "did not end in time"),
    "not_attempted": ("·", "not attempted"),
}


def number(value: float) -> str:
    """A score as people write it: 7, 6.5, 3.33."""
    return f"{round(value, 2):g}"


def score(record: dict) -> str:
    """Points of a row or of an exercise: 5/7."""
    return f"{number(record['score'])}/{number(record['max_score'])}"


def name(exercise: dict) -> str:
    """Number and title of an exercise."""
    return f"{exercise['id']} {exercise.get('title', '')}".strip()


def mark(exercise: dict) -> tuple[str, str]:
    """A sign and a word for how an exercise went; a score for a part of it is none of the signs."""
    sign, word = STATUS.get(exercise["status"], ("?", str(exercise["status"])))
    return ("~", f"{word} in part") if sign == "✗" and exercise["score"] > 0 else (sign, word)


def mistakes(exercise: dict) -> list[dict]:
    """The mistakes that were named: id, sentence, question. The second one fits the same numbers."""
    found = []
    for which in (exercise.get("mistake"), exercise.get("also")):
        known = MISTAKES.get(which)
        if known:
            found.append({"id": known.id, "sentence": known.sentence, "question": known.question})
        elif which:
            found.append({"id": which, "sentence": "", "question": ""})
    return found


def traffic(exercise: dict) -> str:
    """What was read and written, in units of M·N elements, and what may be; empty where nothing was counted."""
    ledger, budget = exercise.get("ledger"), exercise.get("budget")
    if not ledger:
        return ""
    moved = [f"{ledger['read']:.3g} MN", f"{ledger['written']:.3g} MN"]
    if budget:
        moved = [f"{what} of {may:.3g}" for what, may in zip(moved, budget)]
    part = f" of {ledger['part']}" if ledger.get("part") else ""
    return f"traffic{part}: read {moved[0]}, wrote {moved[1]}"


def lines(exercise: dict) -> list[str]:
    """All that there is to say of one exercise."""
    found = [f"{mark(exercise)[1]}: {exercise['cases_passed']} of {exercise['cases']} cases, {score(exercise)} points"]
    found += [exercise["message"]] if exercise["message"] else []
    named = mistakes(exercise)
    for i, each in enumerate(named):
        found += [("Or, with the same numbers: " if i else "") + (each["sentence"] or each["id"])]
    found += [f"Ask yourself: {named[0]['question']}"] if named and named[0]["question"] else []
    found += [traffic(exercise)] if traffic(exercise) else []
    return found + exercise.get("remarks", []) + exercise["flags"]
