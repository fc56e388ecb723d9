"""Other languages: notebooks, pages and feedback come from catalogues, and marks are the same in all."""

import json
import os
import re
import subprocess
import sys

import build
import catalogues
import engine_messages
import in_language
import messages
import nbformat
import pytest
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
    found = dict.fromkeys([*catalogue.JOINS, *catalogue.FRAMES])
    for room in [*engine_messages.of_engine().values(), dict.fromkeys(engine_messages.WORDS)]:
        found |= room
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
    assert ["    # SAY IT.", "    # TWICE."] == [line for line in said.split("\n") if line.startswith("    #")]
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
    assert [] == messages.lost(message, message)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_changed_paragraph_is_named_and_nothing_else_is(code):
    """The lesson's other messages, and all other catalogues, are as they were."""
    domain = f"lesson_{STEMS[4]}"
    stored = [message.id for message in catalogues.read(code, domain) if message.id]
    wanted = dict.fromkeys(stored, "")
    assert [] == catalogues.problems(code, domain, wanted)
    changed = stored[5] + " And more."
    found = catalogues.problems(code, domain, dict.fromkeys([*stored[:5], changed, *stored[6:]], ""))
    assert 1 == len(found) and found[0].startswith(f"locale/{code}/LC_MESSAGES/{domain}.po: “{changed[:40]}")


def test_an_update_keeps_a_translation_as_a_suggestion(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    before, after = "Each program has one row of the matrix.", "Each program has one row of this matrix."
    catalogues.update("zh_Hans", "lesson_x", {before: ""})
    assert [f"LC_MESSAGES/lesson_x.po: “{before}” has no translation"] == [
        each.removeprefix("zh_Hans/") for each in catalogues.problems("zh_Hans", "lesson_x", {before: ""})
    ]
    file = catalogues.path("zh_Hans", "lesson_x")
    message = f'msgid "{before}"\nmsgstr '
    file.write_text(file.read_text().replace(message + '""', message + '"每个程序一行。"'))
    assert {before: "每个程序一行。"} == catalogues.said(catalogues.read("zh_Hans", "lesson_x"))
    catalogues.update("zh_Hans", "lesson_x", {after: ""})
    (found,) = catalogues.problems("zh_Hans", "lesson_x", {after: ""})
    assert "changed in English" in found and {} == catalogues.said(catalogues.read("zh_Hans", "lesson_x"))
    assert "每个程序一行。" in file.read_text()
    text = file.read_bytes()
    catalogues.update("zh_Hans", "lesson_x", {after: ""})
    assert text == file.read_bytes()


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("stem", STEMS)
def test_a_notebook_in_another_language_has_the_same_cells(code, stem):
    english = notebook(ROOT / "notebooks" / f"{stem}.ipynb")
    made = notebook(ROOT / in_language.place(f"notebooks/{stem}.ipynb", code))
    assert [] == in_language.problems(english, made, f"notebooks/{stem}.ipynb", code)
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


@pytest.mark.parametrize("kept", _SOME, ids=lambda kept: kept.name)
def test_every_sentence_about_an_answer_goes_through_the_catalogue(kept, pseudo, speak):
    exercise = lessons.exercises()[kept.exercise]
    record = judge(exercise, extract.extract([kept.source], exercise.names)).record()
    speak("pseudo", pseudo)
    text = render.text(record)
    for own in re.findall(r'"([^"\n]+)"', kept.source):  # the answer's own words, as in an assertion
        text = " ".join(text.split()).replace(own, " ")
    assert [] == untranslated(text)
    speak("en")
    assert untranslated(render.text(record))


@pytest.mark.parametrize("code", LANGUAGES)
def test_all_hints_titles_and_mistakes_have_a_translation(code, speak):
    from grader.mistakes.registry import MISTAKES

    speak(code)
    for known in MISTAKES.values():
        for text in (known.sentence, known.question):
            assert not text or language.say(text) != text
    for exercise in lessons.exercises().values():
        for text in exercise.hints:
            assert language.say(text) != text or not re.search("[a-z]{2} [a-z]{2}", re.sub("`[^`]*`", "", text))


def test_a_text_that_no_template_explains_stays_english():
    words = catalogue.Catalogue({"row {row} of {tensor}": "{tensor} 的第 {row} 行", "two tiles": "两个分块", **_JOINS})
    assert "x 的第 3 行" == words.say("row 3 of x")
    assert "  两个分块，x 的第 3 行\nelse" == words.say("  two tiles, row 3 of x\nelse")
    assert "what somebody wrote, and more" == words.say("what somebody wrote, and more")
    assert "" == words.say("") and "12" == words.say("12")


@pytest.mark.parametrize(
    "english, chinese",
    [
        (
            "In [3] is not Python, so nothing in it ran: '(' was never closed, in the line `return max(n`",
            "In [3] 不是合法的 Python，所以里面的代码都没有运行：'(' 没有闭合，出在 `return max(n` 这一行",
        ),
        (
            "n = 1: SyntaxError in the line `(`: '(' was never closed",
            "n = 1：SyntaxError，出在 `(` 这一行：'(' 没有闭合",
        ),
        (
            "randn, 1×5, 32 threads per block: the compiler refuses line 29, `}`: expected '}' at end of input",
            "随机数，1×5，每个线程块 32 个线程：编译器拒绝第 29 行，`}`：到末尾为止还缺少 '}'",
        ),
        (
            "two states, (2, 1.368) and (3, 1.082): None came back, expected two numbers (m, d)",
            "两个状态，(2, 1.368) 和 (3, 1.082)：返回的是 None，应为两个数 (m, d)",
        ),
        (
            "two warps: [(8.1, 1.2), (3.2, ... came back, expected two numbers (m, d)",
            "2 个线程束：返回的是 [(8.1, 1.2), (3.2, ...，应为两个数 (m, d)",
        ),
        ("'2x' came back instead of a tensor", "返回的是 '2x'，不是张量"),
        (
            "one tile: program 1 loads from x_ptr at row 2, column 3 (element 9), which is outside of it: x_ptr has 3 "
            "× 3 elements, numbered from 0. Unmasked lanes outside the tensor in this load: 4 of 7.",
            "一个分块：程序 1 加载 x_ptr 的第 2 行，第 3 列（元素 9），越界了：x_ptr 有 3 × 3 个元素，从 0 数起。"
            "这次加载的 7 个没有被屏蔽的通道中，有 4 个在张量之外。",
        ),
        ("not enough values to unpack (expected 2, got 1)", "可解包的值不够（应为 2 个，只有 1 个）"),
        ("The future belongs to a different loop (expected 2, got 1)",) * 2,
        (
            "two: ValueError in the line `return open(x)`: embedded null byte",
            "two：ValueError，出在 `return open(x)` 这一行：embedded null byte",
        ),
        (
            "two numbers: ValueError in the line `raise ValueError(\"a list of 2 numbers\")`: a list of 2 numbers",
            "2 个数：ValueError，出在 `raise ValueError(\"a list of 2 numbers\")` 这一行：a list of 2 numbers",
        ),
        (
            "two numbers: error in the line `assert ok, \"half\"`: half",
            "2 个数：报错，出在 `assert ok, \"half\"` 这一行：half",
        ),
        (
            'In [54], in the line `x = tl.load(p, other=-float("inf"))`: ValueError: `other` needs `mask`',
            'In [54]，出在 `x = tl.load(p, other=-float("inf"))` 这一行：ValueError：`other` needs `mask`',
        ),
        ("'长度（len） (n) 不对' came back, expected 3", "返回了 '长度（len） (n) 不对'，应为 3"),
        # A word for a type, and the number in front of what is counted, take no part of a sentence.
        ("an object of the type set has no entry 'a'", "set 类型的对象里没有 'a' 这一项"),
        ("an object of the type ndarray came back instead of a tensor", "返回的是 ndarray 类型的对象，不是张量"),
        ("the compiler refuses line 2, `#`: stray '#' in program", "编译器拒绝第 2 行，`#`：程序里有多余的 '#'"),
        ("one row per program", "每个程序一行"),
        ("what is a part of a program", "what is a part of a program"),
        (
            "thread 0 of block 0 stores to an address that belongs to no tensor and to no shared memory",
            "线程块 0 的线程 0 存储到一个地址，它不属于任何张量，也不属于任何共享内存",
        ),
        ("load() got an unexpected keyword argument 'msk'", "load() 没有名为 'msk' 的参数"),
    ],
)
def test_words_of_others_and_brackets_confuse_nothing(english, chinese):
    """A bracket that a message is about is no bracket of the message; words of others are said whole, or stay whole."""
    assert chinese == catalogue.catalogue("zh_Hans").say(english)


def test_a_text_is_parted_where_its_parts_are_known():
    known = {"{label}, {n} rows": "{label}，{n} 行", "causal, more keys": "因果，键更多"}
    words = catalogue.Catalogue({**known, **_CLAIM, **_JOINS})
    assert "因果，键更多，3 行" == words.say("causal, more keys, 3 rows")
    assert "说法 a：返回 [True, False]" == words.say("claim a: [True, False] came back")


def test_a_long_description_is_said_sentence_by_sentence():
    known = {"Picture of {size} cells. {list}": "{size} 格的图。{list}", "row {row} is {it}.": "第 {row} 行是 {it}。"}
    text = "Picture of 4 cells. " + " ".join(f"row {row} is {'x' * 30}." for row in range(80))
    said = catalogue.Catalogue({**known, **_JOINS}).say(text)
    assert said.startswith("4 格的图。第 0 行是 x") and "row" not in said


_CLAIM = {"claim {name}": "说法 {name}", "{got} came back": "返回 {got}", "{one}: {two}": "{one}：{two}"}
_JOINS = {"{one}, {two}": "{one}，{two}", "{one} and {two}": "{one} 和 {two}"}


def test_a_long_text_of_a_learner_is_said_at_once():
    words = catalogue.Catalogue({"row {row}": "第 {row} 行", **_JOINS})
    text = ", ".join(f"row {n} and so on" for n in range(400))
    assert text == words.say(text)


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
    assert 1 == capsys.readouterr().out.count("FIVE_PASSES_LANG=tlh is no language of the course")
    language.use_of("import grader  # language: tlh")
    assert "does not speak 'tlh'" in capsys.readouterr().out
    with pytest.raises(language.Unknown):
        language.use("tlh")


def test_the_notebook_comes_before_the_environment(monkeypatch, speak):
    speak(None)
    monkeypatch.setenv("FIVE_PASSES_LANG", "en")
    language.use_of("x = 1\n# language: zh_Hans")
    assert "zh_Hans" == language.language()
    language.use_of("y = 2")
    assert "zh_Hans" == language.language()


@pytest.mark.whole
def test_a_command_line_in_another_language(tmp_path):
    """--lang: help, an unknown language, a class with its reports. results.jsonl stays English."""

    def run(*arguments):
        environment = os.environ | {"FIVE_PASSES_PROGRESS": "off"}
        command = [sys.executable, "-m", "grader", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    refused = run("grade", "x", "--lang", "tlh")
    assert 2 == refused.returncode and "does not speak 'tlh'" in refused.stderr and "Traceback" not in refused.stderr
    assert "为笔记本评分" in run("--help", "--lang", "zh").stdout or "评分" in run("--help", "--lang", "zh").stdout
    folder = tmp_path / "class"
    (folder / "李雷").mkdir(parents=True)
    first = (ROOT / in_language.place(f"notebooks/{STEMS[0]}.ipynb", "zh_Hans")).read_text(encoding="utf-8")
    (folder / "李雷" / f"{STEMS[0]}.ipynb").write_text(first, encoding="utf-8")
    done = run("grade", folder, "--out", tmp_path / "out", "--jobs", 1, "--lang", "zh_Hans")
    assert 0 == done.returncode, done.stderr
    (row,) = map(json.loads, (tmp_path / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines())
    assert "zh_Hans" == row["language"] and re.search("[a-z]{3} [a-z]{2}", row["exercises"][0]["message"])
    assert 0 == run("export", tmp_path / "out", "--format", "html", "--lang", "zh_Hans").returncode
    page = (tmp_path / "out" / "html" / "index.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in page and "李雷" in page and "The class" not in page
    # Without --lang, a student's own results speak the language of the student's notebook.
    assert 0 == run("export", tmp_path / "out", "--format", "gradescope").returncode
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
    assert "values seen" == label(lambda name: ascii)
    assert "见过的值" == label(lambda name: ascii | set(map(ord, "见过的值")) if name == "SimHei" else ascii)


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
    assert [] == found


@pytest.mark.whole
@pytest.mark.parametrize("stem", STEMS)
def test_a_chinese_notebook_runs_with_answers_from_the_english_lesson(stem, tmp_path):
    """Every check passes, and says so in Chinese."""
    from nbclient import NotebookClient

    made = notebook(ROOT / in_language.place(f"notebooks/{stem}.ipynb", "zh_Hans"))
    solved = {cell.id: cell.source for cell in notebook(ROOT / "solutions" / f"{stem}.ipynb").cells}
    for cell in made.cells:
        if cell.id.startswith("exercise-"):
            cell.source = solved[cell.id]
    folder = ROOT / "notebooks" / "zh"
    NotebookClient(made, timeout=300, resources={"metadata": {"path": folder}}).execute()
    checks = [cell for cell in made.cells if cell.id.startswith("check-")]
    assert checks
    for cell in checks:
        (shown,) = (output["data"]["text/plain"] for output in cell.outputs if "data" in output)
        assert re.search("[\u4e00-\u9fff]", shown) and "✓" in shown and "✗" not in shown, shown


def test_a_long_description_is_looked_at_in_few_places():
    """Between any two of its commas and full stops there are too many: the alt text of a picture took minutes."""
    parts = (f"amax: from memory x {n}.00 MN; to memory y 0.0{n} MN; in between: not shown." for n in range(9))
    words = catalogue.catalogue.__wrapped__("zh_Hans")
    assert "；" in words.say(" ".join(parts))
    assert words._best.cache_info().misses < 1000


def test_a_list_and_a_pair_of_numbers_have_their_own_signs():
    """The comma of a list is the language's; brackets around numbers are those of a tuple."""
    frames = {catalogue.LIST: "1、2", "{one} ({two})": "{one}（{two}）"}
    words = catalogue.Catalogue({**frames, "lanes {list}": "通道 {list}", "the sum": "总和"})
    assert "通道 0、4、8" == words.say("lanes 0, 4, 8")
    assert "总和 (0.5, -inf)" == words.say("the sum (0.5, -inf)")


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
    assert "SystemExit in the line `exit()`" == render.error_sentence(error)
