"""Other languages: notebooks, pages and feedback come from catalogues, and marks are the same in all."""

import json
import os
import re
import subprocess
import sys
import warnings

import build
import catalogues
import in_language
import messages
import nbformat
import pytest
import sentences
import torch
from conftest import ROOT, stored

from grader import language, lessons
from grader.interpreter import KernelMisuse
from grader.judge import extract, render
from grader.judge.judge import judge
from grader.language import catalogue, wrap
from grader.notebook import api, charts, cuda_launch, fonts

LANGUAGES = catalogues.languages()
STEMS = [source.stem for source in build.sources([])]
# Words of the engine are written in these letters by the pseudo-language. Names and code are not.
_TURNED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "αвсdεƒgнιјκℓмиορqяѕтυνωхуzАВСDЕFGНІЈКLМΝОРQRЅТUVWХУZ"
)


def turned(message):
    """A message in the pseudo-language: other letters, and all that must not change as it is."""
    parts = re.split(r"(\{\w+\}|`[^`]*`)", message)
    return "".join(part if number % 2 else part.translate(_TURNED) for number, part in enumerate(parts))


@pytest.fixture(scope="module")
def pseudo():
    found = [message for room in sentences.of_engine().values() for message in room]
    return catalogue.Catalogue({message: turned(message) for message in found})


@pytest.fixture
def speak(monkeypatch):
    """Speak a language, or a catalogue, for one test."""

    def to(code, words=None):
        if words is not None:
            monkeypatch.setattr(catalogue, "catalogue", lambda code: words)
        monkeypatch.setattr("grader.language.choose._used", code)

    return to


def notebook(path):
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("stem", STEMS)
def test_a_text_without_translations_stays_as_it_is(stem):
    for cell in notebook(ROOT / "notebooks" / f"{stem}.ipynb").cells:
        change = messages.markdown if cell.cell_type == "markdown" else messages.code
        words = [re.sub(r"(^|\s)(#|//)(?=\s)", " ", text).split() for text in (cell.source, change(cell.source, str))]
        assert words[0] == words[1]


def test_code_keeps_everything_but_its_comments():
    source = 'x = 1  # one\n# two\n# lines\ndef f(x):\n    """Say it.\n\n    Twice.\n    """\n    return "# no comment"'
    said = messages.code(source, str.upper)
    assert "# ONE" in said and "# TWO LINES" in said and '"# no comment"' in said
    assert [line for line in said.split("\n") if line.startswith("    #")] == ["    # SAY IT.", "    # TWICE."]
    assert in_language.same_code(source, said)
    assert not in_language.same_code(source, said.replace("x = 1", "x = 2"))


def test_comments_of_cuda_are_comments():
    source = 'k = r"""\n__global__ void f() {\n    // two words\n    int i = 7 / 2;  // half of it\n}\n"""'
    said = messages.code(source, str.upper)
    assert "// TWO WORDS" in said and "// HALF OF IT" in said and "7 / 2;" in said
    assert in_language.same_code(source, said)
    assert not in_language.same_code(source, said.replace("7 / 2", "7 / 3"))
    # The last line of a comment may have one word. A comment of one word is a place for code.
    source = 'k = r"""\n__global__ void f() {\n    // one of the\n    // columns\n    x;\n    // here\n}\n"""'
    said = messages.code(source, str.upper)
    assert "    // ONE OF THE COLUMNS\n" in said and "// here" in said


@pytest.mark.parametrize(
    "message, translation, lost",
    [
        ("Take `a` and `b`.", "取 `a`。", "code `b` is lost"),
        ("$x$ is 3", "$x$ 是三", "number 3 is lost"),
        ("see [this](a.md)", "见 [此](b.md)", "link a.md is lost"),
        ("row {row}", "行", "placeholder {row} is lost"),
    ],
)
def test_a_translation_must_not_lose_anything(message, translation, lost):
    assert lost in messages.lost(message, translation)
    assert messages.lost(message, message) == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_changed_paragraph_is_named_and_nothing_else_is(code):
    """The lesson's other messages, and all other catalogues, are as they were."""
    domain = f"lesson_{STEMS[4]}"
    stored = [message.id for message in catalogues.read(code, domain) if message.id]
    wanted = dict.fromkeys(stored, "")
    assert [] == catalogues.problems(code, domain, wanted) == catalogues.untranslated(code, domain, wanted)
    changed = stored[5] + " And more."
    found = catalogues.untranslated(code, domain, dict.fromkeys([*stored[:5], changed, *stored[6:]], ""))
    assert len(found) == 1 and found[0].startswith(f"locale/{code}/LC_MESSAGES/{domain}.po: “{changed[:40]}")


def test_an_update_keeps_a_translation_as_a_suggestion(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    before, after = "Each program has one row of the matrix.", "Each program has one row of this matrix."
    catalogues.update("zh_Hans", "lesson_x", {before: ""})
    assert [f"LC_MESSAGES/lesson_x.po: “{before}” is new, and has no translation"] == [
        each.removeprefix("zh_Hans/") for each in catalogues.untranslated("zh_Hans", "lesson_x", {before: ""})
    ]
    file = catalogues.path("zh_Hans", "lesson_x")
    message = f'msgid "{before}"\nmsgstr '
    file.write_text(file.read_text().replace(message + '""', message + '"每个程序一行。"'))
    assert {before: "每个程序一行。"} == catalogues.said(catalogues.read("zh_Hans", "lesson_x"))
    catalogues.update("zh_Hans", "lesson_x", {after: ""})
    (found,) = catalogues.untranslated("zh_Hans", "lesson_x", {after: ""})
    assert "changed in English" in found and catalogues.said(catalogues.read("zh_Hans", "lesson_x")) == {}
    assert "每个程序一行。" in file.read_text()
    text = file.read_bytes()
    catalogues.update("zh_Hans", "lesson_x", {after: ""})
    assert text == file.read_bytes()


def test_a_new_sentence_is_new_and_not_changed(tmp_path, monkeypatch):
    """Also where it resembles one that is still there; and the translations of others stay."""
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    old, new = "Each program has one row of the matrix.", "Each program has two rows of the matrix."
    catalogues.update("zh_Hans", "lesson_x", {old: ""})
    file = catalogues.path("zh_Hans", "lesson_x")
    file.write_text(file.read_text().replace(f'msgid "{old}"\nmsgstr ""', f'msgid "{old}"\nmsgstr "每个程序一行。"'))
    catalogues.update("zh_Hans", "lesson_x", {old: "", new: ""})
    (found,) = catalogues.untranslated("zh_Hans", "lesson_x", {old: "", new: ""})
    assert found.endswith("is new, and has no translation") and "two rows" in found
    assert {old: "每个程序一行。"} == catalogues.said(catalogues.read("zh_Hans", "lesson_x"))


@pytest.mark.whole
@pytest.mark.parametrize("arguments, status", [((), 0), (("--release",), 1)])
def test_a_missing_translation_is_an_error_of_a_release_alone(arguments, status, monkeypatch, capsys):
    monkeypatch.setattr(catalogues, "untranslated", lambda *_: ["a sentence is new, and has no translation"])
    monkeypatch.setattr(sys, "argv", ["build.py", "--check", "00", *arguments])
    assert status == build.main()
    assert (status == 0) == ("warning: a sentence is new" in capsys.readouterr().out)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("stem", STEMS)
def test_a_notebook_in_another_language_has_the_same_cells(code, stem):
    english = notebook(ROOT / "notebooks" / f"{stem}.ipynb")
    made = notebook(ROOT / in_language.place(f"notebooks/{stem}.ipynb", code))
    assert in_language.problems(english, made, f"notebooks/{stem}.ipynb", code) == []
    assert {"language": code} == made.metadata["five_passes"]
    assert next(c for c in made.cells if c.cell_type == "code").source.endswith(f"# language: {code}")
    for exercise in lessons.of_lesson(stem[:2]):
        answers = [extract.extract([cell.source for cell in each.cells if cell.cell_type == "code"], exercise.names)
                   for each in (english, made)]  # fmt: skip
        assert in_language.same_code(answers[0].source, answers[1].source)


def test_a_link_to_an_english_lesson_is_seen():
    english = notebook(ROOT / "notebooks" / "04_one_row.ipynb")
    made = notebook(ROOT / in_language.place("notebooks/04_one_row.ipynb", "zh_Hans"))
    made.cells[-1].source = made.cells[-1].source.replace("(05_", "(../05_")
    (found,) = in_language.problems(english, made, "notebooks/04_one_row.ipynb", "zh_Hans")
    assert found.endswith("leads to the English notebooks/05_every_row.ipynb")


def untranslated(text):
    """The words in plain letters of a text in the pseudo-language, without code and names."""
    plain = re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'|\b\w*[_.()=]\w*\b|\bhint\(.*?\)", " ", text)
    return re.findall(r"(?<![\w./-])[a-z]{2,}(?: [a-z]{2,})+", plain)


# A wrong answer of each lesson.
_SOME = [
    kept for kept in stored("wrong") if kept.name in (
        "0.1/added-two", "1.1/no-max", "2.3/floor-as-text", "3.1/copy-no-load-mask", "4.1/pad-zero",
        "5.2/wrapper-accepts-integers", "6.4/test-absolute", "7.1/scaled-in-half", "7.2/tolerance-allclose-default",
        "7.3/masked-ignored", "8.1/exp-scaled-at-the-end", "9.2/combine-factors-alone", "10.3/limits-added-up",
        "11.1/formula-added", "12.3/two-level-all-lanes", "12.4/first-copy-no-condition",
        "13.2/kernel-starts-at-zero", "14.1/bandwidth-as-text", "15.2/configuration-a-dictionary",
    )
]  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kept", _SOME, ids=lambda kept: kept.name)
def test_every_sentence_about_an_answer_goes_through_the_catalogue(kept, pseudo, speak):
    exercise = lessons.exercises()[kept.exercise]
    record = judge(exercise, extract.extract([kept.source], exercise.names)).record()
    speak("pseudo", pseudo)
    text = render.text(record)
    for own in re.findall(r'"([^"\n]+)"', kept.source):  # the answer's own words, as in an assertion
        text = " ".join(text.split()).replace(own, " ")
    assert untranslated(text) == []
    speak("en")
    assert untranslated(render.text(record))


@pytest.mark.parametrize("code", LANGUAGES)
def test_hints_and_mistakes_have_a_translation(code, speak):
    from grader.mistakes.registry import MISTAKES

    speak(code)
    texts = [text for known in MISTAKES.values() for text in (known.sentence, known.question) if text]
    texts += [hint for exercise in lessons.exercises().values() for hint in exercise.hints]
    texts = [text for text in texts if re.search("[a-z]{2} [a-z]{2}", re.sub("`[^`]*`", "", text))]
    english = [text for text in texts if language.say(text) == text]
    if english:  # a release has none: build.py --check --release
        warnings.warn(f"{len(english)} texts have no translation, such as {english[0]!r}", stacklevel=1)
    assert len(english) < len(texts) / 2


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh_Hans"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, "zh_Hans"),
        ({"FIVE_PASSES_LANG": "zh_Hans", "LANG": "en_US.UTF-8"}, "zh_Hans"),
        ({"FIVE_PASSES_LANG": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"FIVE_PASSES_LANG": "zh-hans"}, "zh_Hans"),
    ],
)
def test_the_language_of_the_environment(environment, expected, monkeypatch, speak):
    speak(None)
    for name in ("FIVE_PASSES_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert expected == language.language()


def test_an_unknown_language_is_a_sentence(monkeypatch, capsys, speak):
    speak(None)
    monkeypatch.setenv("FIVE_PASSES_LANG", "tlh")
    assert "en" == language.language() == language.language()
    assert capsys.readouterr().out.count("FIVE_PASSES_LANG=tlh is no language of the course") == 1
    language.use_of("import grader  # language: tlh")
    assert "does not speak 'tlh'" in capsys.readouterr().out
    with pytest.raises(language.Unknown):
        language.use("tlh")


def test_the_notebook_comes_before_the_environment(monkeypatch, speak):
    speak(None)
    monkeypatch.setenv("FIVE_PASSES_LANG", "en")
    language.use_of("x = 1\n# language: zh_Hans")
    assert language.language() == "zh_Hans"
    language.use_of("y = 2")
    assert language.language() == "zh_Hans"


@pytest.mark.whole
def test_a_command_line_in_another_language(tmp_path):
    """--lang: help, an unknown language, a class with its reports. results.jsonl stays English."""

    def run(*arguments):
        environment = os.environ | {"FIVE_PASSES_PROGRESS": "off"}
        command = [sys.executable, "-m", "grader", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    refused = run("grade", "x", "--lang", "tlh")
    assert refused.returncode == 2 and "does not speak 'tlh'" in refused.stderr and "Traceback" not in refused.stderr
    assert "为笔记本评分" in run("--help", "--lang", "zh").stdout or "评分" in run("--help", "--lang", "zh").stdout
    folder = tmp_path / "class"
    (folder / "李雷").mkdir(parents=True)
    first = (ROOT / in_language.place(f"notebooks/{STEMS[0]}.ipynb", "zh_Hans")).read_text(encoding="utf-8")
    (folder / "李雷" / f"{STEMS[0]}.ipynb").write_text(first, encoding="utf-8")
    done = run("grade", folder, "--out", tmp_path / "out", "--jobs", 1, "--lang", "zh_Hans")
    assert done.returncode == 0, done.stderr
    (row,) = map(json.loads, (tmp_path / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines())
    assert row["language"] == "zh_Hans" and re.search("[a-z]{3} [a-z]{2}", row["exercises"][0]["message"])
    assert run("export", tmp_path / "out", "--format", "html", "--lang", "zh_Hans").returncode == 0
    page = (tmp_path / "out" / "html" / "index.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in page and "李雷" in page and "The class" not in page
    # Without --lang, a student's own results speak the language of the student's notebook.
    assert run("export", tmp_path / "out", "--format", "gradescope").returncode == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert re.search("[\u4e00-\u9fff]", results["tests"][0]["output"])


def test_words_of_a_picture_stay_english_without_a_font(monkeypatch, speak):
    """English is better than boxes."""
    from matplotlib.figure import Figure

    words = catalogue.Catalogue({"values seen": "见过的值"})
    speak("zh_Hans", words)

    def label(characters):
        monkeypatch.setattr(fonts, "_characters", characters)
        figure = Figure()
        figure.add_subplot().set_xlabel("values seen")
        charts.in_language(figure)
        return figure.axes[0].get_xlabel()

    ascii = frozenset(range(128))
    assert label(lambda name: ascii) == "values seen"
    assert label(lambda name: ascii | set(map(ord, "见过的值")) if name == "SimHei" else ascii) == "见过的值"


def test_lines_of_chinese_are_as_wide_as_those_of_english():
    text = "每个程序处理一行，用 `tl.load` 加载。" * 8
    lines = wrap.wrap(text, 40, "  ✗ ", "    ")
    assert all(wrap.columns(line) <= 40 for line in lines)
    assert not any(line.strip()[0] in "，。、；：？！）" for line in lines[1:])
    assert text.replace(" ", "") == "".join(line.strip() for line in lines).removeprefix("✗").replace(" ", "")


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_style_of_chinese(code):
    """A space between Chinese and Latin, full-width punctuation after Chinese, and bold that renders as bold."""
    from markdown_it import MarkdownIt

    found, page = [], MarkdownIt()
    han = "\u4e00-\u9fff"
    for path in sorted((catalogues.LOCALE / code / "LC_MESSAGES").glob("*.po")):
        for said in catalogues.said(catalogues.read(code, path.stem)).values():
            bare = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\{\w+\}", "", said)
            rendered = re.sub("<code>.*?</code>", "", page.render(re.sub(r"\$[^$]*\$", "F", said)))
            if re.search(rf"[{han}][A-Za-z0-9]|[A-Za-z0-9][{han}]|[{han}][,;:?!]", bare) or "**" in rendered:
                found.append(f"{path.stem}: {said}")
    assert found == []


@pytest.mark.whole
@pytest.mark.parametrize("stem", STEMS)
def test_a_chinese_notebook_runs_with_answers_from_the_english_lesson(stem, tmp_path):
    """Every check passes, and says so in Chinese."""
    from nbclient import NotebookClient

    made = notebook(ROOT / in_language.place(f"notebooks/{stem}.ipynb", "zh_Hans"))
    solved = {cell.id: cell.source for cell in notebook(ROOT / "solutions" / f"{stem}.ipynb").cells}
    for cell in made.cells:
        if cell.id.startswith(("exercise-", "open")):
            cell.source = solved[cell.id]
    folder = ROOT / "notebooks" / "zh"
    NotebookClient(made, timeout=300, resources={"metadata": {"path": folder}}).execute()
    checks = [cell for cell in made.cells if cell.id.startswith("check-")]
    assert checks
    for cell in checks:
        (shown,) = (output["data"]["text/plain"] for output in cell.outputs if "data" in output)
        assert re.search("[\u4e00-\u9fff]", shown) and "✓" in shown and "✗" not in shown, shown


def test_what_a_lesson_prints_of_an_error_is_said(speak):
    """Its cells catch the error and print it."""
    speak("zh_Hans")
    with pytest.raises(KernelMisuse, match="线程数必须是 32 的倍数"):
        cuda_launch.launch("", torch.zeros(1, 1), threads=33)


@pytest.mark.parametrize("code, said", [("en", "hint 1 of 3: "), ("zh_Hans", "提示 1（共 3 条）：")])
def test_a_hint_has_one_space_behind_its_colon(code, said, speak, capsys):
    speak(code)
    api.hint("0.1")
    assert re.search(re.escape(said) + r"\S", capsys.readouterr().out)


def test_an_exit_has_no_message():
    error = {"type": "SystemExit", "line": "exit()", "message": "None"}
    assert render.error_sentence(error) == "SystemExit in the line `exit()`"
