"""The race without a GPU and without timing: tape, names, poison, comparison, the floor, and what is refused."""

import contextlib
import json
import os
import re
import socket
import threading
from unittest import mock

import pytest
import torch
from conftest import ROOT
from paper_card import PaperCard

import grader
from grader import environment, lessons
from grader.export import ranking
from grader.judge import zygotes
from grader.judge.judge import judge
from grader.judge.session import Session
from grader.judge.time_limit import TimeLimit
from grader.language import use
from grader.mistakes.mutant import reference
from grader.notebook import history, raced_answers, races
from grader.protocol import frames, schema
from grader.protocol.jobs import Job
from grader.racing import events, race
from grader.racing.raced import Raced
from grader.reference import cross_entropy
from grader.sentence import said
from grader.spec import Answer, Lap, Result, Shape
from grader.timing import families, floor, nvidia, peers, tape, timekeeper
from grader.timing import laps as measuring
from grader.timing.tape import MOST_UPLOADED
from grader.timing.timekeeper import OWN, Timekeeper

SMALL = Shape((6, 40))
HANGS = 20.0  # seconds: a host that says nothing for so long waits for ever; in a race, the judge's limit ends it


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch, tmp_path):
    """As many as there are at least: more would show nothing new. What g++ makes stays in a folder of the test."""
    monkeypatch.setattr(measuring, "SECONDS", 0.0)
    monkeypatch.chdir(tmp_path)


@contextlib.contextmanager
def racing(source, card, driver="", elsewhere=True, modules=()):
    """A timekeeper in this process, with a host as in a race."""
    zygote = zygotes.get()
    zygote.wait()
    number, wire = zygote._request("fork", Job(60.0, elsewhere=elsewhere, modules=modules, raced="host"))
    wire.settimeout(HANGS)
    frames.receive(wire, 0)
    keeper = Timekeeper(wire, card)
    try:
        assert "error" not in keeper.handle({"op": "write", "source": source})[0]
        loaded, _ = keeper.handle({"op": "load", "driver": driver})
        assert "error" not in loaded, loaded
        yield keeper
    finally:
        wire.close()
        zygote.kill(number)


def asked(keeper, name="f", family="softmax", shape=SMALL, dtype="float32", peers=False, seed=7, cuda=False):
    """The reply for one shape."""
    order = {"op": "lap", "name": name, "cuda": cuda, "family": family, "shape": schema.pack(shape, Shape)}
    return keeper.handle(order | {"dtype": dtype, "peers": peers, "seed": seed})[0]


def laps(keeper, *which, **more):
    """{name: lap} of one shape."""
    reply = asked(keeper, *which, **more)
    assert "error" not in reply, reply["error"]["message"]
    return {name: schema.unpack(lap, Lap) for name, lap in reply["laps"].items()}


def lap(source, card=None, elsewhere=True, **more):
    """The lap of f, which the text defines."""
    with racing(source, card or PaperCard(), elsewhere=elsewhere) as keeper:
        return laps(keeper, **more)[OWN]


SIZES = {"attention": (48, 16), "attention gradient": (40, 16), "flash": (1, 2, 32, 16)}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", events.EVENTS)
def test_the_course_s_own_answer_races(number):
    """Every exercise that races, from its text to times, with the course's own launch where it has one."""
    event, exercise = events.EVENTS[number], lessons.exercises()[number]
    driver = "\n".join((exercise.driver, events.DRIVER))
    with racing(reference(number), PaperCard(), driver, exercise.kernels, exercise.modules) as keeper:
        shape = Shape(SIZES.get(event.family, (6, 40)))
        name = event.cuda or f"race_{number.replace('.', '_')}"
        raced = laps(keeper, name, event.family, shape, event.dtype, cuda=bool(event.cuda))[OWN]

    assert raced.refused == ""
    assert raced.microseconds == 100.0


# ---- the tape: a replay means what the recording meant

SAME = [
    "return five(x)",
    "y = torch.empty_like(x); y.copy_(five(x)); return y",
    "y = torch.empty_like(x); torch.exp(x - x.amax(1, keepdim=True), out=y); y /= y.sum(1, keepdim=True); return y",
    "e = torch.exp(x - x.amax(1, keepdim=True)); e.div_(e.sum(1, keepdim=True)); return e",
    "y = torch.zeros_like(x); v = y.view(-1); v.add_(five(x).view(-1)); return y",
    "y = torch.empty(x.shape[1], x.shape[0], device=x.device).t(); y.copy_(five(x)); return y",
    "a, b = x.split(3); return torch.cat([five(a), five(b)])",
    "y = torch.empty_like(x); y[:3] = five(x[:3]); y[3:] = five(x[3:]); return y",
    "m = x.max(dim=1, keepdim=True).values; e = torch.exp(x - m); return e / e.sum(1, keepdim=True)",
    "s = x * torch.tensor(1.0, device=x.device); return five(s)",
    "y = five(x); z = y; del y; z = z + 0; return z",
    "for _ in range(5): y = five(x)\n    return y",
    "order = torch.arange(len(x), device=x.device).flip(0); return five(x[order])[order]",
    "y = five(x); w = y.t_(); return w.t()",
    "return torch.where(x > -1e30, five(x), torch.zeros((), device=x.device))",
    "return five(x.double()).float()",
]
FIVE = """
import torch
def five(x):
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)
def f(x):
    """


@pytest.mark.parametrize("body", SAME)
@pytest.mark.parametrize("captures", [True, False])
def test_a_replay_means_what_the_recording_meant(body, captures):
    """Views, operators in place, `out=`, memory that was freed: on numbers that the host has never seen."""
    raced = lap(FIVE + body, PaperCard(captures=captures), elsewhere=False)

    assert raced.refused == ""
    assert (raced.microseconds, raced.way) == (100.0, "graph" if captures else "tape")
    assert [*map(str, raced.notes)] == ([] if captures else ["no graph"])


# ---- forgeries: tests/attacks/race has one file each, which follows the course's answer to 5.2, or to what it names

FORGERIES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/attacks/race").glob("*.py"))}


def header(name):
    """{"exercise", "tries", "in its way", "outcome"} of a forgery. Without an exercise it is 5.2."""
    return dict(re.findall(r"^# ([a-z ]+): (.+)$", FORGERIES[name], re.MULTILINE))


def eager(source):
    """A peer without a compiler."""
    names = {}
    exec(source, names)
    return names["peer"]


def raced_twice(source, card, number="5.2"):
    """For two races of an exercise on one shape: the reason why there is no time, or the time."""
    seen = []
    event, exercise = events.EVENTS[number], lessons.exercises()[number]
    driver, name = "\n".join((exercise.driver, events.DRIVER)), event.cuda or f"race_{number.replace('.', '_')}"
    confined = racing(source, card, driver, exercise.kernels, exercise.modules)
    with contextlib.suppress(frames.BrokenChannel, OSError, KeyError), confined as keeper:
        for seed in (7, 8):
            reply = asked(keeper, name, event.family, dtype=event.dtype, seed=seed, cuda=bool(event.cuda))
            found = schema.unpack(reply["laps"][OWN], Lap) if "laps" in reply else None
            seen.append(found.refused or found.microseconds if found else "an error")
    return seen + ["no host"] * (2 - len(seen))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_gains_nothing(name):
    """It has no time, or the time that the card's clock says, of right results."""
    number = header(name).get("exercise", "5.2")
    first, second = raced_twice(reference(number) + "\n" + FORGERIES[name], PaperCard(), number)

    outcome = header(name)["outcome"]
    if outcome == "refused":
        assert isinstance(first, str), first
    elif outcome == "refused the second time":
        assert first == 100.0
        assert isinstance(second, str), second
    elif outcome == "no gain on a GPU":  # no interpreter runs it
        assert isinstance(first, str)
    elif outcome == "no gain, or refused":  # by chance: a late order may reach the next call, or take its place
        assert all(each == 100.0 or isinstance(each, str) for each in (first, second))
    else:
        assert outcome == "no gain"
        assert (first, second) == (100.0, 100.0)


STYLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/races").glob("*.py"))}


@pytest.mark.parametrize("name", STYLES)
def test_an_honest_style_races(name):
    """tests/races has one file each, which follows the course's answer to 5.2 as well."""
    assert raced_twice(reference("5.2") + "\n" + STYLES[name], PaperCard()) == [100.0, 100.0]


def test_there_are_as_many_forgeries_as_the_page_says():
    """At least 25 kinds; each has a row in docs/race.md, with what it tries and what is in its way."""
    page = (ROOT / "docs/race.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\d) \| (.+?) \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    wanted = [
        (name[:2], header(name)["tries"], header(name)["in its way"], header(name)["outcome"]) for name in FORGERIES
    ]

    chinese = (ROOT / "docs/zh/race.md").read_text(encoding="utf-8")

    assert len(FORGERIES) >= 25
    assert rows == wanted
    assert re.findall(r"^\| (\d\d) \|", chinese, re.MULTILINE) == [number for number, *_ in wanted]


def test_two_kernels_of_a_loss_reach_no_more_than_the_lesson_says():
    """They walk three times along the matrix, and a copy twice: 0.67."""
    record = json.loads((ROOT / "records/races_on_h200.json").read_text(encoding="utf-8"))["races"]["16.4"]
    lesson = (ROOT / "solutions/16_cross_entropy.py").read_text(encoding="utf-8")

    assert f"at most {2 / 3:.2f}" in lesson
    assert all(lap["copy"] / lap["microseconds"] < 2 / 3 for lap in record["laps"])


def test_the_page_has_the_numbers_of_the_code():
    """Exercises, sets of addresses, rounds, and what a call may upload, in both languages."""
    for path, between in (("docs/race.md", ", "), ("docs/zh/race.md", "、")):
        page = (ROOT / path).read_text(encoding="utf-8")
        assert between.join(race.exercises()) in " ".join(page.split())
        numbers = [measuring.STARTS, measuring.WARM, measuring.LEAST, measuring.MOST, MOST_UPLOADED]
        numbers += [round(100 * ranking.NOISE), round(100 * ranking.NOISE_OF_SHORT), round(ranking.SHORT)]
        assert {*map(str, numbers)} <= {*re.findall(r"\d+", page)}


# ---- what else ends a tape, or a race


def refusal(body, card=None, **more):
    """The reason why f(x), whose body is given, has no time. More than one race may follow from one body."""
    return lap(FIVE + body, card, elsewhere=False, **more).refused


READS = {
    "return five(x) * x.max().item()": "item",
    "return five(x) if bool((x > 0).any()) else x": "item",
    "return five(x) * float(x[0, 0])": "item",
    "return five(x) * x[0].tolist()[0]": "tolist",
    "return five(x) * x[0, :1].numpy()[0]": "numpy",
    "return five(x[x.sum(1) > -1e30])": "index",
    "y = five(x); y[y < 0] = 0; return y": "index_put_",
    "return five(x) * int(x.argmax() >= 0)": "item",
    "return five(x) * torch.equal(x, x)": "equal",
    "return five(x.masked_select(x > -1e30).view(x.shape))": "masked_select",
}


@pytest.mark.parametrize("body", READS)
def test_a_number_that_python_reads_ends_the_tape(body):
    """With a sentence that says which operation it was, and why."""
    assert str(refusal(body)).startswith(f"{READS[body]} hands numbers of the card to Python, which has to wait")


OF_PYTHON = {  # each of them costs a replay as many orders as the second number says, besides those of the softmax
    "n = torch.tensor(x.shape).prod().item(); return five(x) if n == 240 else x": 0,
    "for start in torch.arange(0, 6, 2).tolist(): pass\n    return five(x)": 0,
    "a, b = torch.linspace(0, 6, 2).long().numpy(); return five(x) if b == 6 else x": 0,
    "s = torch.tensor([1.0, 0.0]); s = s[s > 0.5]; return five(x) if bool(s.any()) else x": 0,
    "s = torch.tensor([4.0], device=x.device).sqrt(); return five(x) * s / s.item()": 4,
    "w = torch.ones(4, device=x.device); n = w.sum().item(); w += x[0, 0]; return five(x) * n / 4": 3,
}


@pytest.mark.parametrize("body", OF_PYTHON)
def test_a_number_that_follows_from_python_alone_may_be_read(body):
    """A product of a shape, or steps of a loop: it is the same in each replay, and no work of the card."""
    made = []

    class Noting(PaperCard):
        def prepared(self, play, inputs):
            made.append(0)
            play(lambda tensor, name: made.append(made.pop() + 1))
            return super().prepared(play, inputs)

    def counted(body):
        made.clear()
        assert lap(FIVE + body, Noting()).refused == ""
        return made[0]

    assert counted(body) - counted("return five(x)") >= OF_PYTHON[body]
    assert OF_PYTHON[body] or counted(body) == counted("return five(x)")


NOT_OF_PYTHON = [
    "s = torch.zeros(1, device=x.device); s += x[0, 0]; return five(x) * s.item()",
    "s = torch.zeros(1, device=x.device); v = s.view(1, 1); v.copy_(x[:1, :1]); return five(x) * s.item()",
    "s = torch.zeros(1, device=x.device); torch.add(x[0, :1], 1, out=s); return five(x) * s.item()",
    "return five(x) * torch.empty(1, device=x.device).item()",
    "return five(x) * torch.rand(1, device=x.device).item()",
    "s = torch.tensor([0]); return five(x) * x[0][s.to(x.device)].item()",
    "return five(x) * torch.zeros_like(x)[0, 0].item()",
    "return five(x) * sum(torch.arange(40).tolist())",
]


@pytest.mark.parametrize("body", NOT_OF_PYTHON)
def test_a_number_that_the_card_has_to_do_with_ends_the_tape(body):
    """Written by an order with an input, never written, drawn, or of a tensor like an input; or more than a few."""
    assert "hands numbers of the card to Python" in str(refusal(body))


def test_a_kernel_may_write_to_a_constant():
    """What it leaves there is a number of the card."""
    kernel = "import triton, triton.language as tl\n@triton.jit\ndef first(s, x):\n    tl.store(s, tl.load(x))\n"
    body = "s = torch.zeros(1, device=x.device); first[(1,)](s, x); return five(x) * s.item()"
    assert "hands numbers of the card to Python" in str(lap(kernel + FIVE + body, elsewhere=False).refused)


def test_what_an_autotuner_s_launch_leaves_in_a_constant_is_no_number_of_python():
    """It may store beyond the tensor that is put back, which a card does not notice."""

    class Beyond(PaperCard):
        def tune(self, runs, tensors):
            tensors[0].as_strided((2,), (1,)).copy_(tensors[1][0, :2])
            return 0, 0.0

    kernel = """
import triton, triton.language as tl
@triton.autotune([triton.Config({}, num_warps=warps) for warps in (1, 2)], key=["n"])
@triton.jit
def one(s, x, n):
    tl.store(s, 0.0)
"""
    body = """s = torch.zeros(2, device=x.device)
    ask = x._reference.wire.ask
    x._reference.wire.ask = lambda order, *more: ({}, b"") if order["op"] == "launch" else ask(order, *more)
    one[(1,)](s[:1], x, 1)
    x._reference.wire.ask = ask
    return five(x) * s.tolist()[1]"""

    assert str(lap(kernel + FIVE + body, Beyond(), elsewhere=False).refused).startswith("tolist hands numbers")


def test_no_word_of_a_host_becomes_part_of_a_sentence():
    """The page of a class shows sentences of the course, and nobody says there what he likes."""
    ask = "x._reference.wire.ask({'op': 'download', 'tensor': x._reference.number, 'by': %r})"

    for by in ("Grace copied from Ada and", ["tolist"], None, {}, 5):
        assert str(refusal(ask % (by,))).startswith("download hands numbers of the card to Python")
    assert str(refusal(ask % ("tolist",))).startswith("tolist hands numbers of the card to Python")


def test_an_operator_makes_its_tensor_on_the_card():
    """Also one that has tensors and names no device, which would be the CPU's."""
    order = {"op": "operator", "name": "aten::linspace", "overload": "Tensor_Tensor", "kwargs": {}}
    order["args"] = [{"tensor": 1}, {"tensor": 2}, 3]

    made = tape.carry_out(order, lambda number: torch.tensor(float(number)), None, torch.device("meta"), None)

    assert (made.device.type, tuple(made.shape)) == ("meta", (3,))


def test_what_a_call_drops_at_its_end_is_dropped():
    """Else all that a call makes would stay on the card until the race is over."""
    with racing(FIVE + "return five(x)", PaperCard(), elsewhere=False) as keeper:
        kept = []
        for rows in (3, 4, 5, 6):
            laps(keeper, shape=Shape((rows, 40)))
            kept.append(len(keeper._memory._tensors))

    assert kept[1:] == kept[:-1]


def test_a_number_may_be_read_while_the_answer_is_imported():
    """No race has begun, and no number of it is there."""
    assert lap("scale = __import__('torch').ones(3).sum().item() / 3" + FIVE + "return five(x * scale)").refused == ""


def test_a_result_beside_the_matrix_that_is_to_change_is_none():
    """15.3 stores in place: what counts is what the input holds, whatever the call names as its result."""
    beside = "return five(x)"
    within = "y = five(x); x.copy_(y); return y"

    assert refusal(within, family="in place") == ""
    assert str(refusal(beside, family="in place")).startswith("a timed replay has another result: row 0")


@pytest.mark.parametrize("name", families.FAMILIES)
def test_the_numbers_of_a_family_follow_from_their_generator(name):
    """The same ones give the inputs and what they are compared with."""
    family = families.FAMILIES[name]
    drawn = []
    for seed in (1, 1, 2):
        kinds = family.inputs(SIZES.get(name, (6, 40)), torch.float32)
        drawn.append([torch.empty(shape, dtype=dtype) for shape, dtype in kinds])
        family.fill(drawn[-1], torch.Generator().manual_seed(seed))

    one, same, other = drawn
    assert all(map(torch.equal, one, same))
    assert not any(map(torch.equal, one, other))


@pytest.mark.parametrize("name", ["attention", "flash"])
def test_attention_needs_its_maximum_and_all_keys(name):
    """Of some queries the scores are so large that float32 does not hold their exponentials."""
    family, dtype = families.FAMILIES[name], torch.float16 if name == "flash" else torch.float32
    kinds = family.inputs((256, 64) if name == "attention" else (1, 2, 256, 64), dtype)
    q, k, v = inputs = [torch.empty(shape, dtype=dtype) for shape, dtype in kinds]
    family.fill(inputs, torch.Generator().manual_seed(1))
    scores = q.double() @ k.double().transpose(-1, -2) / 8
    without = torch.exp(scores.float())
    some = torch.softmax(scores[..., :240], -1) @ v[..., :240, :].double()

    assert family.fault(inputs, (torch.softmax(scores, -1) @ v.double()).to(dtype)) is None
    assert "nan" in str(family.fault(inputs, (without / without.sum(-1, keepdim=True) @ v.float()).to(dtype)))
    assert family.fault(inputs, some.to(dtype)) is not None


def _losses(x, target, columns=None):
    at = target.clamp(min=0)[:, None]
    found = torch.logsumexp(x[:, :columns].float(), 1) - x.float().gather(1, at)[:, 0]
    return torch.where(target == cross_entropy.IGNORED, 0.0, found)


def _p(x, target):
    return torch.softmax(x.float(), 1) * (target != cross_entropy.IGNORED)[:, None]


def _mean(x, target):
    return _losses(x, target).sum() / (target >= 0).sum()


def _gradient(x, target):
    return _p(x, target) - cross_entropy.onehot(x, target, cross_entropy.IGNORED).float()


LOSSES = {  # what a family takes, and what it refuses, as functions of logits, targets and what else is given
    "losses": (
        _losses,
        lambda x, target: _losses(x, target, 200),
        lambda x, target: torch.logsumexp(x.float(), 1) - x.float().gather(1, target.clamp(min=0)[:, None])[:, 0],
        lambda x, target: torch.log(torch.exp(x.float()).sum(1)) - _losses(x, target) * 0,
    ),
    "gradient of losses": (
        lambda x, target, lse, scale: (scale * _gradient(x, target)).to(x.dtype),
        lambda x, target, lse, scale: _gradient(x, target).to(x.dtype),
        lambda x, target, lse, scale: (scale * _p(x, target)).to(x.dtype),
        lambda x, target, lse, scale: scale * _gradient(x, target),
    ),
    "mean loss": (
        lambda x, target: (_mean(x, target), (_gradient(x, target) / (target >= 0).sum()).to(x.dtype)),
        lambda x, target: (_mean(x, target), (_gradient(x, target) / len(x)).to(x.dtype)),
        lambda x, target: (_mean(x, target), (_p(x, target) / (target >= 0).sum()).to(x.dtype)),
        lambda x, target: (_mean(x, target), torch.zeros_like(x)),
        lambda x, target: (_losses(x, target).mean(), (_gradient(x, target) / (target >= 0).sum()).to(x.dtype)),
        lambda x, target: (torch.empty(()).fill_(torch.nan), (_gradient(x, target) / (target >= 0).sum()).to(x.dtype)),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_needs_all_columns_its_target_and_rows_that_count(name):
    """A right one in float32 passes; one column too few, no target, another divisor or dtype do not."""
    family = families.FAMILIES[name]
    inputs = [torch.empty(shape, dtype=dtype) for shape, dtype in family.inputs((24, 300), torch.bfloat16)]
    family.fill(inputs, torch.Generator().manual_seed(2))
    right, *wrong = LOSSES[name]

    assert 0 < (inputs[1] == cross_entropy.IGNORED).sum() < 24
    assert family.fault(inputs, right(*inputs)) is None
    for each in wrong:
        assert family.fault(inputs, each(*inputs)) is not None


TEXTS = {  # name -> what the host has under v1, and how the refusal begins; "": it races
    "right": ("v1", ""),
    "its input": ("'extern \"C\" __global__ void softmax_v1(float* y, const float* x, int n_cols) {' \\\n"
                  "    'for (int c = threadIdx.x; c < n_cols; c += blockDim.x) {' \\\n"
                  "    'long long i = (long long)blockIdx.x * n_cols + c; y[i] = x[i]; } }'",
                  "a timed replay has another result"),
    "no work": ("v1.replace('{', '{ if (n_cols == 40) return;', 1)", "a timed replay has another result"),
    "another kernel": ("v1.replace('softmax_v1', 'softmax_v9')", "there is no kernel softmax_v1"),
    "no C++": ("v1 + '}'", "the compiler refuses"),
    "no text": ("[v1]", "v1 is no text of a kernel"),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_in_cuda_races_as_what_it_does(name):
    """What the host hands out is launched, timed and compared, whatever the check has seen."""
    text, why = TEXTS[name]
    with racing(reference("12.5") + f"\n\nv1 = {text}\n", PaperCard()) as keeper:
        found = laps(keeper, "v1", cuda=True)[OWN]

    assert str(found.refused).startswith(why)
    assert found.microseconds == (None if why else 100.0)


def test_python_may_hand_a_few_numbers_to_the_card():
    """A factor, and no table."""
    many = "return five(x) * torch.tensor([1.0] * 40)"

    assert refusal("return five(x) * torch.tensor(1.0)") == ""
    assert str(refusal(many)).startswith("40 numbers of Python go to the card")


def test_a_tensor_that_python_alone_looks_at_is_no_work_of_the_card():
    """On a GPU it would stay on the CPU. One that an order names, or that is the result, goes to the card."""
    made = []

    class Noting(PaperCard):
        def prepared(self, play, inputs):
            made.append([])
            play(lambda tensor, name: made[-1].append(name))
            return super().prepared(play, inputs)

    def uploads(body):
        made.clear()
        lap(FIVE + body, Noting())
        return made[0].count("")

    assert uploads("n = torch.tensor(x.shape).numel(); return five(x)") == 0
    assert uploads("n = torch.tensor(x.shape).numel(); return five(x * torch.tensor(1.0))") == 1
    assert uploads("return torch.tensor([1.0])") == 1


def test_a_constant_of_the_call_is_new_in_each_replay():
    """An operator that changes it in place would change the next replay otherwise."""
    assert refusal("s = torch.tensor([0.5]); s.mul_(2); return five(x) * s") == ""


def test_an_answer_that_is_right_on_some_replays_is_wrong():
    """In one round of many, the answer's result is another one."""

    class Flaky(PaperCard):
        def time(self, run):
            took = super().time(run)
            if self.runs in (41, 42):  # one round: the answer, and the copy
                run.__self__.result[0, 0] += 1
            return took

    assert str(refusal("return five(x)", Flaky())).startswith("a timed replay has another result: row 0")


def test_numbers_and_places_are_new_in_every_replay():
    """No two replays have the same numbers; three sets of addresses take turns."""
    seen = set()

    class Watching(PaperCard):
        def generator(self, seed):
            seen.add(seed)
            return super().generator(seed)

    card = Watching()
    raced = lap(FIVE + "return five(x)", card, elsewhere=False)

    assert len(seen) > 2 * raced.replays
    assert len({*card.places}) == len(card.places) > 4


def test_the_numbers_follow_from_the_seed():
    """The same seed gives the same race; another one other numbers."""

    def places(seed):
        card = PaperCard()
        lap(FIVE + "return five(x)", card, elsewhere=False, seed=seed)
        return card.places

    assert places(7) == places(7) != places(8)


def test_a_time_below_the_floor_is_refused():
    """At 1 GB/s, 960 bytes take 0.96 µs to read; those that were written may still be in the cache."""
    times = {"no cache": (1.93, 1.91, 0), "all of it": (0.97, 0.95, 1 << 20)}
    for more, less, l2 in times.values():
        assert refusal("return five(x)", PaperCard([more], peak=1e9, l2=l2)) == ""
        assert "is not possible: at the peak of this card its bytes take" in str(
            refusal("return five(x)", PaperCard([less], peak=1e9, l2=l2))
        )


LESS = {"losses": 0.8, "gradient of losses": 1.8, "mean loss": 1.8, "autograd": 4.0}  # matrices


def test_the_floor_leaves_out_what_nobody_has_to_read():
    """Rows of a loss that do not count, and a matrix that the launch before has just written."""
    for name, least in LESS.items():
        family = families.FAMILIES[name]
        assert sum(family.least((100, 100))) == 1e4 * least < sum(family.moved((100, 100)))
    fused = FIVE.replace("def f(x):\n    ", "def f(x, dy):\n    y = five(x); ")
    body = fused + "return y, y * (dy - (y * dy).sum(1, keepdim=True))"
    for took, refused in ((3.9, False), (3.8, True)):  # of a matrix of 960 bytes at 1 GB/s
        found = lap(body, PaperCard([took], peak=1e9), family="autograd", elsewhere=False)
        assert ("is not possible" in str(found.refused)) == refused, found.refused


def test_both_passes_have_a_result():
    """A race of both needs the result of each, and whoever gives one more or less has none."""
    both = (
        FIVE.replace("def f(x):", "def f(x, dy):")
        + "y = five(x); dx = y * (dy - (y * dy).sum(1, keepdim=True)); return "
    )
    assert lap(both + "y, dx", family="autograd", elsewhere=False).refused == ""
    for wrong in ("dx", "(y,)", "(y, dx, dx)", "(y, None)", "()"):
        assert lap(both + wrong, family="autograd", elsewhere=False).refused == "the function returned no tensor"
    assert "another result" in str(lap(both + "dx, dx", family="autograd", elsewhere=False).refused)


def test_the_peak_is_that_of_the_data_sheet_or_more_than_a_copy():
    """A card with a record, one that copies faster than its namesake, and one that nobody recorded."""
    assert floor.peak("NVIDIA H200", 4.0e12) == (4.8e12, True)
    assert floor.peak("Tesla T4", 2.4e11) == (3.2e11, True)
    assert floor.peak("NVIDIA H100 NVL", 3.6e12) == (pytest.approx(3.96e12), False)
    assert floor.peak("NVIDIA GH200 480GB", 3.0e12) == (3.75e12, False)


def test_medians_quartiles_and_shares_are_those_of_the_clock():
    """Eight times that take turns: of the function and of the copy."""

    class Clock(PaperCard):
        def time(self, run):
            super().time(run)
            copies = run.__self__.result.dim() == 1
            return (50.0 if copies else (96.0, 99.0, 101.0, 104.0)[self.runs // 2 % 4]), True

    raced = lap(FIVE + "return five(x)", Clock(), elsewhere=False)

    assert raced.copy == 50.0
    assert raced.microseconds == pytest.approx(100, abs=4)
    assert raced.share == pytest.approx(0.5, abs=0.03)
    assert 0 < raced.spread < 0.09


def test_a_time_lies_between_its_quartiles_where_one_place_in_memory_is_slow():
    """One set of addresses of six takes twice as long: the quartiles of all times would leave it out."""

    class Clock(PaperCard):
        def time(self, run):
            super().time(run)
            return (200.0 if self.runs // 2 % measuring.STARTS == 1 else 100.0), True

    raced = lap(FIVE + "return five(x)", Clock(), elsewhere=False)

    assert raced.microseconds == pytest.approx(100 * 7 / 6, rel=0.01)
    assert raced.quartiles[0] <= raced.microseconds <= raced.quartiles[1]


def test_a_turn_in_which_the_card_waited_for_python_is_taken_again():
    """Every other one; it counts neither for the time nor twice."""

    class Hasty(PaperCard):
        def time(self, run):
            took, _ = super().time(run)
            return (took, True) if self.runs % 2 else (9999.0, False)

    assert lap(FIVE + "return five(x)", Hasty(), elsewhere=False).microseconds == 100.0


def test_a_function_that_works_in_place_has_new_numbers_each_time():
    """15.3: also when a turn is taken again."""

    class Hasty(PaperCard):
        def time(self, run):
            took, _ = super().time(run)
            return took, bool(self.runs % 3)

    body = "y = five(x); x.copy_(y); return x"

    assert lap(FIVE + body, Hasty(), elsewhere=False, family="in place").refused == ""
    assert "changed its input" in str(lap(FIVE + body.replace("return x", "return y"), elsewhere=False).refused)


AUTOTUNED = """
import torch, triton, triton.language as tl
hooked = []
hook = lambda given: hooked.append(given["ROWS"])
@triton.autotune([triton.Config({"ROWS": rows}, num_warps=2, pre_hook=hook) for rows in (1, 2, 4)], key=["n_cols"])
@triton.heuristics({"BLOCK": lambda given: triton.next_power_of_2(given["n_cols"])})
@triton.jit
def kernel(y_ptr, x_ptr, stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * stride + cols[None, :], mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(y_ptr + rows[:, None] * stride + cols[None, :], e / tl.sum(e, axis=1)[:, None], mask=mask)
def f(x):
    y = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(len(x), meta["ROWS"]),)](y, x, x.stride(0), *x.shape)
    assert hooked[-1:] == [4] and hooked.count(1) == 0, hooked
    return y
"""


def test_an_autotuner_measures_by_the_card_outside_of_the_clock():
    """Once for each value of its key. Hooks run for the launch that counts, and for no other."""
    card = PaperCard()
    with racing(AUTOTUNED, card) as keeper:
        first = laps(keeper)[OWN]
        laps(keeper, shape=Shape((9, 40)))
        laps(keeper, shape=Shape((6, 50)))

    assert first.refused == ""
    assert first.tuned == 0.5
    assert card.tuned == [3, 3]


def test_in_a_check_an_autotuned_kernel_has_its_first_configuration():
    """There is no clock that could choose."""
    assert judge(lessons.exercises()["15.3"], Answer(reference("15.3"))).status == "passed"


WRONG_CALLS = {
    "return None": "the function returned no tensor",
    "return [five(x)]": "the function returned no tensor",
    "return five(x), five(x)": "the function returned no tensor",
    "return 5.0": "the function returned no tensor",
    "return five(x)[:3]": "the result has shape (3, 40), expected (6, 40)",
    "return five(x).double()": "the result is float64, expected float32",
}


@pytest.mark.parametrize("body", WRONG_CALLS)
def test_a_result_of_another_kind_is_refused(body):
    """With the check's own sentence, where the result is a tensor."""
    assert WRONG_CALLS[body] in str(refusal(body))


def test_peers_take_turns_with_an_answer_and_stay_without_it():
    """PyTorch's function and the five passes, in the same rounds."""
    with (
        mock.patch.object(peers, "_compiled", eager),
        racing(FIVE + "return five(x) * x.max().item()", PaperCard(), elsewhere=False) as keeper,
    ):
        found = laps(keeper, peers=True)

    assert {name: lap.microseconds for name, lap in found.items()} == {
        OWN: None, "torch.softmax": 100.0, "torch.compile": 100.0, "five passes": 100.0,
    }  # fmt: skip


def test_every_family_has_peers_that_are_right():
    """What PyTorch has for it, compared as an answer is."""
    for name, family in families.FAMILIES.items():
        shape = SIZES.get(name, (6, 40))
        dtype = "float16" if name == "flash" else "float32"
        for peer, function in peers.of(name).items():
            if peer != "torch.compile":
                play = {peer: lambda given, made, function=function: function(*given)}
                raced = measuring.measure(PaperCard(), play, family, Shape(shape), dtype, 3)[peer]
                assert raced.refused == "", (name, peer)
                assert raced.replays >= 30


class Driver:
    """NVIDIA's library for a card that is hot and short of power. processes: numbers of those on it."""

    def __init__(self, *processes):
        self.processes = processes

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByUUID(self, uuid, handle):
        return int(uuid != b"GPU-1234")

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle, reasons):
        reasons._obj.value = 0x64
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle, count, room):
        count._obj.value = len(self.processes)
        for place, process in enumerate(self.processes):
            room._obj[place].pid = process
        return 0


def test_a_slow_or_shared_card_is_told():
    """By NVIDIA's driver; where it is not there, or does not know the card, nothing is said."""

    def notes(library, uuid):
        with mock.patch.object(nvidia, "_library", lambda name: library):
            watch = nvidia.Watch(uuid)
            watch.look()
            return [*map(str, watch.notes())]

    shared = Driver(os.getpid(), os.getppid(), 1 << 30, 1 << 29)
    assert notes(shared, "1234") == notes(shared, "GPU-1234") == [
        "the card slowed its clock down: its power limit",
        "the card slowed its clock down: its temperature",
        "other processes have this card open too (2): times may be longer",
    ]  # fmt: skip
    assert len(notes(Driver(os.getpid(), os.getppid()), "1234")) == 2  # the notebook that waits is no other
    assert len(notes(Driver(1 << 30), "1234")) == 2  # a container: nobody knows whose number that is
    assert notes(shared, "5678") == notes(None, "1234") == []
    with mock.patch.object(nvidia, "_library", lambda name: None):
        nvidia.empty_kept_lines()


# ---- the whole race, with a card of paper


@contextlib.contextmanager
def paper_races(card):
    """race() of grader.racing on this machine, with a device in a thread of this process."""

    def opened(self, clock, source, seconds, driver, elsewhere, modules):
        number, wire = self._request("fork", Job(60.0, elsewhere=elsewhere, modules=modules, raced="host"))
        ours, theirs = socket.socketpair()
        threading.Thread(target=timekeeper.converse, args=(theirs, wire, lambda: card), daemon=True).start()
        limit = TimeLimit(seconds)
        limit.watch(os.getpid())
        return Session(lambda: self.kill(number), ours, source, limit, driver, apart=True)

    with (
        mock.patch.object(race, "cannot_race_here", lambda exercise: None),
        mock.patch.object(zygotes.Zygote, "race", opened),
    ):
        zygotes.get().wait()
        yield


ON = (SMALL, Shape((7, 33), drawn=True))


def test_a_race_from_text_to_record():
    """The check first; then every shape; and the record survives a row."""
    with paper_races(PaperCard(peak=1e15, notes=(said("slow"),))):
        raced = race.race(lessons.exercises()["5.2"], Answer(reference("5.2")), b"secret", ON)

    assert (raced.checked, raced.refused, raced.card.name) == (True, "", "paper")
    assert [(lap.shape, lap.microseconds, lap.share) for lap in raced.laps] == [(shape, 100.0, 1.0) for shape in ON]
    assert schema.unpack(json.loads(json.dumps(schema.pack(raced, Raced))), Raced) == raced


def test_only_an_answer_that_passes_its_check_races():
    """The verdict is that of `check`."""
    wrong = reference("5.2").replace("numerator / denominator", "numerator")
    with paper_races(PaperCard()):
        raced = race.race(lessons.exercises()["5.2"], Answer(wrong), b"secret", ON)

    assert (raced.checked, raced.laps) == (False, ())
    assert str(raced.refused).startswith("only an answer that passes its check races, and this one does not: ")


ENDS = {
    "import os\nos._exit(0)": "the race ended early: ",
    "def f(:": "",
    "raise ValueError('no')": "",
}


@pytest.mark.parametrize("source", ENDS)
def test_an_answer_that_breaks_off_has_a_sentence(source):
    """And no exception."""
    passed = Result("5.2", "", "passed", 1.0, 1.0)
    with paper_races(PaperCard()):
        raced = race.race(lessons.exercises()["5.2"], Answer(source), b"secret", ON, checked=passed)

    assert raced.laps == ()
    assert raced.refused
    assert str(raced.refused).startswith(ENDS[source])


def test_an_error_that_cannot_be_encoded_is_shown():
    """A lone surrogate in its words: a notebook sends its table as UTF-8."""
    source = "def fused_softmax(x):\n    raise ValueError('\\ud800')"
    with paper_races(PaperCard()):
        passed = Result("5.2", "", "passed", 1.0, 1.0)
        raced = race.race(lessons.exercises()["5.2"], Answer(source), b"secret", ON, checked=passed)
    shown = races.Shown("5.2", raced, [races.Entrant("your answer", raced.laps)])

    assert "ValueError" in repr(shown)
    assert all(text.encode() for text in (repr(shown), shown.page()))


LEAVES = {  # what a function does to its wire, and how many shapes have a lap then
    "os._exit(0)": 0,
    "os.kill(os.getpid(), 9)": 0,
    "wire._channel.shutdown(2)": 0,
    "wire._channel.sendall(b'\\0\\0\\0\\5'); os._exit(0)": 0,
    "wire.tell({'op': 'done', 'tensors': [x._reference.number]}); os._exit(0)": 1,
    "wire.tell({'op': 'operator', 'name': 'aten::exp', 'args': [], 'kwargs': {}}); os._exit(0)": 0,
    "wire.tell({'op': 'done', 'error': {}})": 0,
    "wire.tell({'op': 'done', 'error': [], 'number': 0})": 0,
    "wire._send = lambda h, p: frames.send(wire._channel, h | {'freed': 5}); wire.tell({'op': 'done'})": 0,
    "wire._send = lambda h, p: frames.send(wire._channel, h); wire.tell({'op': 'done', 'tensors': [1]})": 0,
}


@pytest.mark.parametrize("body", LEAVES)
def test_a_host_that_leaves_at_an_odd_moment_ends_the_race_with_a_sentence(body):
    """Before an order, within a frame, before a reply; or with an end that no host sends."""
    source = (
        "import os\nfrom grader.protocol import frames\n"
        f"def fused_softmax(x):\n    wire = x._reference.wire\n    {body}\n    return x"
    )
    passed = Result("5.2", "", "passed", 1.0, 1.0)
    with paper_races(PaperCard()):
        raced = race.race(lessons.exercises()["5.2"], Answer(source), b"secret", ON, checked=passed)

    assert str(raced.refused).startswith("the race ended early: ")
    assert len(raced.laps) == LEAVES[body]


def test_a_device_whose_host_is_gone_ends_without_an_error():
    """What the host said before is still there, and nobody reads what it is told."""
    (judge, ours), (host, theirs) = socket.socketpair(), socket.socketpair()
    with judge:
        frames.send(host, {})
        host.close()
        frames.send(judge, {"op": "load", "driver": ""})
        timekeeper.converse(ours, theirs, PaperCard)
        assert frames.receive(judge, 0)[0] == {"too_little_memory": ""}


def test_an_exercise_that_does_not_race_says_which_do():
    """A count, a text, and a first kernel in CUDA C++."""
    for exercise in ("1.2", "2.1", "12.4"):
        raced = race.race(lessons.exercises()[exercise], Answer(""), b"secret")
        assert "5.2" in raced.refused
        assert raced.laps == ()


def test_kernels_in_cuda_race_where_cupy_is():
    """Without it, the sentence says how to get it; a kernel of Triton needs none."""
    with (
        mock.patch.object(environment, "has_gpu", lambda: True),
        mock.patch.object(torch.cuda, "is_available", lambda: True),
        mock.patch.object(environment, "has_cupy", lambda: False),
    ):
        assert "pip install cupy-cuda" in str(race.cannot_race_here("12.7"))
        assert race.cannot_race_here("5.2") is None


def test_without_a_gpu_a_sentence_says_so():
    """This test runs where there is none."""
    with mock.patch.object(environment, "has_gpu", lambda: False):
        raced = race.race(lessons.exercises()["5.2"], Answer(reference("5.2")), b"secret")

    assert raced.refused == "A race needs a GPU that Triton compiles for, and this machine has none."


def test_shapes_are_known_ones_and_drawn_ones():
    """Another secret draws other shapes, and the same one the same."""
    for exercise in race.exercises():
        one, same, other = (race.shapes(exercise, secret) for secret in (b"a", b"a", b"b"))
        assert one == same != other
        assert [shape.drawn for shape in one][-2:] == [True, True]
        assert not any(shape.drawn for shape in one[:-2])


@pytest.mark.whole
def test_the_notebook_shows_chart_table_and_reasons(capsys):
    """Entrants by speed; a refusal below the table; the same in words and in HTML."""
    cells = [reference("5.2")]
    with (
        paper_races(PaperCard()),
        mock.patch.object(race, "shapes", lambda *_: ON),
        mock.patch.object(peers, "_compiled", eager),
        mock.patch.object(history, "session_cells", lambda: cells),
        mock.patch.object(history, "names_of_cells", lambda: ["In [1]"]),
        mock.patch.object(raced_answers, "_session", {}),
    ):
        first = grader.race("5.2")
        cells[0] = cells[0].replace("row_max = tl.max(x, axis=0)", "row_max = tl.max(x, 0)")
        second = grader.race("5.2")

    assert {str(each.name) for each in first.entrants} == {
        "your answer", "torch.softmax", "torch.compile", "five passes",
    }  # fmt: skip
    assert {str(each.name) for each in second.entrants} >= {"the course's answer", f"yours of {first.raced.date}"}
    shown = second._repr_mimebundle_()
    assert "1.00  100.0 ±0 %" in shown["text/plain"]
    assert "1.00  100.0 ±0 %" in shown["text/html"]
    assert "<svg" in shown["text/html"]
    assert capsys.readouterr().out == ""


def test_without_a_gpu_the_notebook_shows_what_was_recorded(capsys):
    """As recorded: with the card and the day. Of an exercise that is not in the record, there is the sentence alone."""
    kept = json.loads(races.RECORD.read_text(encoding="utf-8"))["races"]
    assert {"1.1", "5.2", "8.4", "9.3"} <= set(kept) <= set(race.exercises())
    for exercise in kept:
        shown = races.recorded(lessons.exercises()[exercise])
        assert re.match(rf"{exercise}, recorded on NVIDIA \w+ on 20\d\d-\d\d-\d\d: ", repr(shown))
        assert "the course's answer" in repr(shown)
    with mock.patch.object(environment, "has_gpu", lambda: False), mock.patch.object(history, "session_cells", list):
        assert "recorded on" in repr(grader.race("5.2"))
        assert grader.race("1.2") is None
        assert grader.race("99.1") is None

    out = capsys.readouterr().out
    assert "A race needs a GPU that Triton compiles for, and this machine has none." in out
    assert "1.2 has nothing to time." in out


def test_a_table_of_races_is_in_the_language_of_the_notebook():
    """The sign of percent, too, has no space before it where the language has none."""
    use("zh_Hans")
    try:
        shown = repr(races.recorded(lessons.exercises()["5.2"]))
    finally:
        use(None)
    assert re.search(r"±\d+%", shown) and " %" not in shown


@pytest.mark.whole
def test_a_card_that_does_not_start_ends_the_race_with_a_sentence():
    """Both processes are forked and confined; without a driver, the device ends when it looks for its card."""
    passed = Result("5.2", "", "passed", 1.0, 1.0)
    with (
        mock.patch.object(race, "cannot_race_here", lambda exercise: None),
        mock.patch.dict(os.environ, CUDA_VISIBLE_DEVICES=""),
    ):
        zygotes.close_all()
        raced = race.race(lessons.exercises()["5.2"], Answer(reference("5.2")), b"secret", ON, checked=passed)
        zygotes.close_all()

    assert raced.laps == ()
    assert str(raced.refused).startswith("the race ended early: ")
