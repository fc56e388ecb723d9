"""A sentence is a value: English with its template and its values, which crosses processes and is looked up."""

import ast
import functools
import json
import pickle
import random
import re
import sys
import timeit

import pytest
import sentences
from conftest import ROOT

from grader.classroom import rows
from grader.language.catalogue import Catalogue
from grader.protocol import schema
from grader.sentence import Said, counted, fault, foreign, joined, kind_of, listed, mapped, said, tree, within

ROW = said("row {row} of {tensor}: {what}", row=3, tensor="y", what=said("two tiles"))
CHINESE = {"row {row} of {tensor}: {what}": "{tensor} 的第 {row} 行：{what}", "two tiles": "两个分块"}


@functools.cache
def parsed(path):
    """The syntax tree of a file, which several tests look through."""
    return ast.parse(path.read_text(encoding="utf-8"))


def test_a_sentence_is_english():
    assert ROW == "row 3 of y: two tiles" and hash("row 3 of y: two tiles") == hash(ROW)
    assert json.dumps(ROW) == '"row 3 of y: two tiles"'
    assert (ROW.values["what"], ROW.values["tensor"], ROW.values["row"]) == ("two tiles", "y", 3)
    assert said("a {brace} stays") == "a {brace} stays" and said("{{{n}}}", n=3) == "{3}"
    assert said("{a} and {b}", a=0.5, b=(3, 5)) == "0.5 and (3, 5)"
    with pytest.raises(KeyError):
        said("{a} and {b}", a=1)


def test_a_sentence_is_made_in_microseconds():
    seconds = min(timeit.repeat(lambda: said("row {row} of {tensor}", row=3, tensor="y"), number=1000, repeat=5))
    assert seconds / 1000 < 50e-6


def test_a_sentence_crosses_processes():
    kept = fault("way", "right numbers, but {what}", what=ROW)
    for arrived in (pickle.loads(pickle.dumps(kept)), tree.of_tree(json.loads(json.dumps(tree.tree(kept))))):
        assert (kept, kept.template, "way") == (arrived, arrived.template, kind_of(arrived))
        assert arrived.values["what"].values["what"] == "two tiles"


@pytest.mark.parametrize(
    "data",
    [
        None, 3, [], ["a"], ["a", {}], ["a", [], ""], [3, {}, ""], ["a", {}, 3], ["a" * 3000, {}, ""],
        ["{a}", {"b": "c"}, ""], ["{a}", {"a": 1.5}, ""], ["{a}", {"a": None}, ""], ["{a}", {"a": "b" * 3000}, ""],
        ["a", {}, "k" * 99], ["{a}", {"a": 1 << 99}, ""], ["a", {str(n): "b" for n in range(99)}, ""],
    ],
)  # fmt: skip
def test_what_is_no_sentence_is_refused(data):
    with pytest.raises(tree.NoSentence):
        tree.of_tree(data)
    if data is not None and not isinstance(data, str):
        with pytest.raises(schema.Mismatch):
            schema.codec(Said).unpack(data)


def test_no_sentence_grows_beyond_what_anybody_reads():
    """Placeholders within placeholders would fill the memory."""
    data = ["a" * 100, {}, ""]
    for _ in range(8):
        data = ["{a}" * 600, {"a": data}, ""]
    with pytest.raises(tree.NoSentence):
        tree.of_tree(data)
    deep = ["a", {}, ""]
    for _ in range(40):
        deep = ["{a}", {"a": deep}, ""]
    with pytest.raises(tree.NoSentence):
        tree.of_tree(deep)


def test_a_format_that_arrives_does_nothing():
    assert tree.of_tree(["{a.__class__} {a:99999} {a}", {"a": "1"}, ""]) == "{a.__class__} {a:99999} 1"


def test_translating_is_one_lookup():
    words = Catalogue(CHINESE)
    assert words.say(ROW) == "y 的第 3 行：两个分块"
    assert words.say("two tiles") == "两个分块" and words.say("  two tiles") == "  两个分块"
    assert words.say("row 3 of x") == "row 3 of x"


def test_a_missing_translation_shows_the_whole_sentence_in_english():
    assert ROW == Catalogue({k: v for k, v in CHINESE.items() if k != "two tiles"}).say(ROW)
    assert ROW == Catalogue({"two tiles": "两个分块"}).say(ROW)
    outer = said("after backward: {sentence}", sentence=ROW)
    assert outer == Catalogue({"after backward: {sentence}": "反向之后：{sentence}"}).say(outer)


def test_values_are_the_same_in_all_languages():
    words = Catalogue({"error": "报错", "{name} is no {kind}": "{name} 不是 {kind}"})
    assert words.say(said("{name} is no {kind}", name="error", kind="error")) == "error 不是 error"


def test_sentences_join_to_one():
    assert tuple(joined("{one}; {two}", list("abc"[:n])) for n in range(4)) == ("", "a", "a; b", "a; b; c")
    many = joined("{one}, {two}", [str(n) for n in range(1000)])
    assert ", ".join(map(str, range(1000))) == many == tree.of_tree(tree.tree(many))
    assert (
        Catalogue({"lanes {list}": "通道 {list}", "{item}, {next}": "{item}、{next}"}).say(
            said("lanes {list}", list=listed([0, 4, 8]))
        )
        == "通道 0、4、8"
    )
    assert (counted(1, "lane"), counted(3, "lane")) == ("1 lane", "3 lanes")


def test_an_exception_in_a_sentence_has_its_own():
    error = ValueError(said("line {number} is damaged", number=3))
    assert said("{file}: {error}", file="x", error=error).values["error"].template == "line {number} is damaged"
    pythons = said("{error}", error=NameError("name 'y' is not defined")).values["error"]
    assert pythons.template == "name '{name}' is not defined"


def test_the_values_of_a_sentence_can_be_changed():
    changed = mapped(ROW, str.upper)
    assert changed == "row 3 of Y: two tiles" and ROW.template == changed.template
    assert [ROW, "3", "y", "two tiles"] == [*within(ROW)]


@pytest.mark.parametrize(
    "text, template",
    [
        ("name 'y' is not defined", "name '{name}' is not defined"),
        ("expected ':'", "expected '{sign}'"),
        ("expected '}' at end of input", "expected '{sign}' at end of input"),
        ("load() got an unexpected keyword argument 'msk'", "{function}() got an unexpected keyword argument '{name}'"),
        ("stray '#' in program", "stray '{sign}' in program"),
        ("'asm' has no place in a kernel", "'{word}' has no place in a kernel"),
        ("expected declaration before '}' token", "expected declaration before '}' token"),
    ],
)
def test_a_sentence_of_others_is_recognised(text, template):
    assert (text, template) == (foreign.recognised(text), foreign.recognised(text).template)


@pytest.mark.parametrize(
    "text",
    [
        "", "embedded null byte", "what somebody wrote: name 'y' is not defined", "name 'y' is not defined " * 40,
        "what is wrong there did not match the test",
    ],
)  # fmt: skip
def test_words_of_somebody_else_stay_as_they_are(text):
    """As a whole: a template that explains a part of them explains nothing."""
    assert text == foreign.recognised(text) and not isinstance(foreign.recognised(text), Said)


def test_names_in_a_sentence_of_python_are_joined():
    found = foreign.recognised("f() missing 3 required positional arguments: 'x', 'y', and 'z'")
    assert found.values["names"].template == "{one}, and {two}"
    assert found == "f() missing 3 required positional arguments: 'x', 'y', and 'z'"


def test_babel_finds_every_sentence():
    """Its extractor sees no call within the arguments of another function within a sentence."""
    names = {"said": 0, "joined": 0, "fault": 1}
    for path in sorted((ROOT / "grader").rglob("*.py")):
        if "skeleton" in path.parts:
            continue
        called = [
            node.args[place]
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Call) and (place := names.get(getattr(node.func, "id", ""), 99)) < len(node.args)
        ]
        constants = {node.value for node in called if isinstance(node, ast.Constant)}
        assert constants - {""} <= set(sentences.of_python(path)), path
        if path.parent.name != "sentence":
            odd = [ast.unparse(node) for node in called if not isinstance(node, ast.Constant)]
            assert path.name == "mistake.py" or not odd, (path, odd)


def test_no_sentence_is_made_anew_by_a_formatted_text():
    """An f-string, `+` or a comparison loses the template, so a part of a sentence is never put together with them."""
    words = re.compile(r"[a-z]{3,} [a-z]{2,}")
    for path in sorted((ROOT / "grader").rglob("*.py")):
        room = path.relative_to(ROOT / "grader").parts[0]
        if room in ("judge", "checks", "reference", "spec", "export") and path.name != "examine.py":
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.JoinedStr):
                    plain = "".join(part.value for part in node.values if isinstance(part, ast.Constant))
                    assert not words.search(plain) or "style" in plain or "<" in plain, (path, node.lineno, plain)


def test_a_row_keeps_english_template_and_values():
    row = {
        "submission": "a.ipynb", "student": "a", "handed_in": None, "instead": None, "lesson": "05", "sha256": None,
        "grader": "1", "seed": "s", "score": 0.0, "max_score": 0.0, "isolation": "none", "seconds": 1.0,
        "problems": [fault(rows.NOT_GRADED, "not graded: {why}", why=ROW)], "exercises": [], "language": None,
    }  # fmt: skip
    line = rows.line(row)
    stored = json.loads(line)
    assert stored["problems"] == ["not graded: row 3 of y: two tiles"]
    assert stored["said"]["not graded: row 3 of y: two tiles"][0] == "not graded: {why}"
    (problem,) = rows.parse(line)["problems"]
    assert problem.template == "not graded: {why}" and rows.failed(rows.parse(line))
    # A row of an earlier grader, and one whose sentence somebody changed, have plain texts.
    for said_by_the_row in ({}, {"not graded: row 3 of y: two tiles": ["other words", {}, ""]}):
        (problem,) = rows.parse(json.dumps(stored | {"said": said_by_the_row}).encode())["problems"]
        assert problem == "not graded: row 3 of y: two tiles" and not isinstance(problem, Said)
    with pytest.raises(rows.Damaged):
        rows.parse(json.dumps(stored | {"said": {"a": 3}}).encode())


def test_a_reworded_sentence_changes_no_verdict(monkeypatch):
    """Kinds and values decide: an answer is judged twice, and the second time every sentence has other words."""
    from conftest import stored

    from grader import lessons
    from grader.judge import extract
    from grader.judge.judge import judge

    module = sys.modules["grader.sentence.said"]
    filled = module.filled

    kept = [each for each in stored("wrong") if each.exercise in ("4.1", "5.1", "9.2")]
    for each in random.Random(45).sample(kept, 4):
        exercise = lessons.exercises()[each.exercise]
        answer = extract.extract([each.source], exercise.names)
        before = judge(exercise, answer).record()
        with monkeypatch.context() as patch:
            patch.setattr(module, "filled", lambda template, values: f"Reworded: {filled(template, values)}")
            after = judge(exercise, answer).record()
        assert before["message"] != after["message"]
        for name in ("status", "score", "mistake", "also", "by_numbers", "cases_passed"):
            assert before[name] == after[name], (each.name, name)


def test_no_function_gives_the_makers_of_sentences_another_meaning():
    """A local value called `said` ends with an error where a sentence is made, and often only on odd machines."""
    found = []
    for path in sorted((ROOT / "grader").rglob("*.py")):
        for function in ast.walk(parsed(path)):
            if not isinstance(function, ast.FunctionDef):
                continue
            arguments = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            bound = arguments | {node.id for node in names if isinstance(node.ctx, ast.Store)}
            called = {
                node.func.id
                for node in ast.walk(function)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            found += [f"{path.name}: {function.name}" for _ in bound & called & {"said", "fault", "joined", "counted"}]

    assert found == []
