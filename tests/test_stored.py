"""The answers that the course keeps: an edit of a right one is read as it was written, or said to be no edit of it."""

import pytest
from conftest import stored

from grader.mistakes import stored as keeping
from grader.mistakes.mutant import reference

RIGHT = "# exercise: 0.1\ndef double(x):\n    y = x + x\n    return y\n"


@pytest.fixture
def tests(tmp_path):
    """A folder with a right answer to 0.1, and a whole wrong one."""
    for name, text in (
        ("right/00_plain.py", RIGHT),
        ("wrong/00_a_whole_one.py", "# exercise: 0.1\n# mistake: none\ndouble = abs\n"),
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    return tmp_path


def read(tests, table):
    (tests / "wrong" / "0.1.toml").write_text(table)
    return {each.name: each for each in keeping.wrong(tests)}


def record(name="squared", base="00_plain", edits="[['x + x', 'x * x']]", more=""):
    return f'[{name}]\nbase = "{base}"\nmistake = "squared"\n{more}edits = {edits}\n'


def test_a_record_is_an_answer_with_its_header(tests):
    """Of five lines; the header of its base is not its own."""
    kept = read(tests, record(more='since = "3.6.0"\n'))["0.1/squared"]

    assert (
        kept.source
        == "# exercise: 0.1\n# mistake: squared\n# since: 3.6.0\ndef double(x):\n    y = x * x\n    return y\n"
    )
    assert (kept.exercise, kept.mistake, kept.since, kept.base) == ("0.1", "squared", "3.6.0", "00_plain")


@pytest.mark.parametrize("edits, body", [
    ("[['return y', 'return x'], ['x + x', 'y']]", "def double(x):\n    y = y\n    return x\n"),
    ("[['''\n    y = x + x\n''', ''], ['return y', 'return 2']]", "def double(x):\n    return 2\n"),
    ("[['''\n    return y\n''', '''\n    return x''']]", "def double(x):\n    y = x + x\n    return x"),
])  # fmt: skip
def test_edits_apply_all_at_once(edits, body, tests):
    """In any order, to the letter: whole lines, and an end without a newline."""
    assert body == keeping.body(read(tests, record(edits=edits))["0.1/squared"].source)


@pytest.mark.parametrize("base, first", [
    ("solution", "\ndef double(x):"),
    ("00_plain", "def double(x):"),
    ("other", "def double(x):  # other"),
    ("a-whole-one", "double = abs"),
])  # fmt: skip
def test_a_base_is_the_solution_a_file_or_another_wrong_answer(base, first, tests):
    """And a record may stand above its base."""
    old, new = first.strip(), first.strip().replace("double", "twice")
    other = record("other", "00_plain", "[['def double(x):', 'def double(x):  # other']]")
    kept = read(tests, record(base=base, edits=f"[['{old}', '{new}']]") + other)

    assert new in kept["0.1/squared"].source and base == kept["0.1/squared"].base
    assert kept["0.1/a-whole-one"].base is None and kept["0.1/a-whole-one"].mistake is None


@pytest.mark.parametrize("table, sentence", [
    (record(edits="[['no such text', '']]"), "squared: 'no such text' stands 0 times in its base, expected once"),
    (record(edits="[['x', 'z']]"), "squared: 'x' stands 3 times in its base, expected once (00_plain)"),
    (record(edits="[['', 'z']]"), "squared: '' stands 0 times"),
    (record(edits="[['x + x', 'x + x']]"), "squared: 'x + x' stays as it is"),
    (record(edits="[['y = x +', 'y ='], ['x + x', '']]"), "squared: 'x + x' is in part the old of another edit"),
    (record(base="00_plan"), """squared: there is no base '00_plan': it is "solution", the name of"""),
    (record(base="squared"), "squared: its base is an edit of itself: squared of squared"),
    (record("a-whole-one"), "a-whole-one: there is a whole file of this name as well"),
    (record(more='edit = "x"\n'), "squared: there is no key 'edit'; a record has base, mistake, edits, and"),
    ('[squared]\nbase = "00_plain"\nmistake = "squared"\n', "squared: edits is missing"),
    (record(edits="['x + x', 'x * x']"), "squared: edits is a list of pairs [old, new]"),
    (record(edits="[]"), "squared: edits is a list of pairs [old, new]"),
    ("squared = 3\n", "squared: a record is a table with base, mistake and edits"),
    (record() + record(), "0.1.toml: Cannot declare ('squared',) twice"),
])  # fmt: skip
def test_a_record_that_does_not_fit_is_a_sentence(table, sentence, tests):
    """Which table, which record, and why."""
    with pytest.raises(ValueError) as raised:
        read(tests, table)
    assert f"tests/wrong/0.1.toml: {sentence}".replace("toml: 0.1.toml", "toml") in str(raised.value)


def test_all_records_that_do_not_fit_are_said_at_once(tests):
    """A base that is written anew has many."""
    with pytest.raises(ValueError) as raised:
        read(tests, record("one", edits="[['no', '']]") + record("two", edits="[['such', '']]"))
    assert [line.split(": ")[1] for line in str(raised.value).splitlines()] == ["one", "two"]


def changed_lines(base, text):
    """How many lines of old and new one edit of a base would have."""
    old, new = keeping.body(base).splitlines(), keeping.body(text).splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return len(old) + len(new)


@pytest.mark.of_every_exercise
def test_a_whole_file_is_kept_where_no_edit_is_much_shorter():
    """An answer that a record says in half of the lines belongs into the table of its exercise."""
    bases = {}
    for each in stored("right"):
        bases.setdefault(each.exercise, {keeping.SOLUTION: reference(each.exercise)})[each.name] = each.source
    shorter = {
        each.name: name
        for each in stored("wrong")
        if each.base is None
        for name, base in bases[each.exercise].items()
        if 2 * (6 + changed_lines(base, each.source)) < len(each.source.splitlines())
    }

    assert shorter == {}
