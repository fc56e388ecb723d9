"""Replies that a worker of ours would not send: a verdict comes of each, and never an exception of the judge."""

import copy
import json
import random
from fractions import Fraction

import pytest
import torch
from conftest import stored

from grader import lessons
from grader.judge import compiled, extract, replay, session, untrusted, zygotes
from grader.judge.judge import judge
from grader.judge.verdict import failure_of
from grader.protocol.replies import pack_reply, unpack_reply
from grader.protocol.schema import Mismatch
from grader.protocol.tensors import elements
from grader.protocol.values import decode, encode
from grader.spec import STATUS, Answer, Call, Case, Evidence, Observations, Unreadable

ONE_EACH = {kept.exercise: kept for kept in stored("right")}
DIGITS = 10**4199
LEAVES = [
    None, True, False, 0, -1, 1.5, 2**31, 2**62, -(2**63), 2**64, DIGITS, -DIGITS, float("nan"), float("inf"), -1e308,
    "", "x", "?", "\ud800", "x" * 100_000, "float32", "complex64", "qint8", "bits8", "bool", "float99", "_dynamo",
    [], {}, [[]], [0], [-1, 4], [2**40, 2**40], [1] * 100, [0] * 3,
]  # fmt: skip
VALUES = [
    ["int", hex(10**5000)], ["int", hex(2**999)], ["int", "-0x1"], ["int", "0x" + "f" * 1_000_000], ["int", 3],
    ["fraction", hex(10**5000), "0x3"], ["fraction", hex(2**999), "0x3"], ["fraction", "0x1", hex(2**999)],
    ["float", "nan"], ["float", "-inf"], ["float", "1e308"], ["float", "5e-324"], ["float", "9" * 100_000],
    ["str", "x" * 1_000_000], ["str", "\ud800"], ["str", DIGITS], ["const", 1], ["const", []], ["ellipsis"], ["?"],
    ["?", "y" * 1_000_000], ["dtype", "float99"], ["dtype", "float16"], ["nonsense", 1], [], 5, None, [[]],
    ["dict", [["list"], ["int", "0x1"]]], ["dict", [["str", "a"], ["int", "0x1"]], [["str", "a"], ["int", "0x2"]]],
    ["dict", [["float", "nan"], ["int", "0x1"]], [["const", None], ["tuple"]]], ["dict", 1],
    ["once", ["once", ["int", "0x1"]]], ["list", *[["int", "0x1"]] * 20_000],
    ["tuple", ["int", hex(2**999)], ["fraction", hex(2**999), "0x3"]], ["tuple", ["float", "nan"], ["float", "inf"]],
    ["tuple", ["str", "a"], ["str", "b"]], ["tuple", ["list"], ["list"]], ["list", ["tuple", ["str", "u"]]],
]  # fmt: skip


def nested(depth):
    data = ["int", "0x1"]
    for _ in range(depth):
        data = ["list", data]
    return data


# ---- one value, one tensor


@pytest.mark.parametrize("value, arrives", [
    (2**1000 - 1, True), (2**1000, False), (-(2**1000), False), (Fraction(10**5000, 3), False),
    (Fraction(1, 10**5000), False), (Fraction(2**999, 3), True), (10**5000, False), (float("nan"), None),
], ids=lambda value: repr(value)[:20] if not isinstance(value, (int, Fraction)) else "")  # fmt: skip
def test_a_number_that_no_float_holds_arrives_as_none(value, arrives):
    """So a check may compare, divide and print every number that it gets."""
    got = decode(encode(value))

    assert arrives is None or arrives == (got == value) == (not isinstance(got, Unreadable))
    if arrives:
        assert f"{float(got):.6g} {got}"


@pytest.mark.parametrize("data", [*VALUES, nested(50), nested(5000)], ids=range(len(VALUES) + 2))
def test_a_forged_value_is_bounded(data):
    """Its size, its depth and the digits of its numbers."""
    try:
        value = decode(data)
    except RecursionError:
        pytest.fail("it is nested without a bound")

    assert len(repr(value)) < 200_000


def tensor_reply(**changed):
    return {"tensor": elements(torch.ones(2, 3))[0] | changed, "args": []}


@pytest.mark.parametrize("changed", [
    {"shape": [2**40]}, {"shape": [-1, 3]}, {"shape": [2, 3.0]}, {"shape": [1] * 65 + [2, 3]}, {"shape": [2**70, 0]},
    {"shape": [2, 4]}, {"shape": "23"}, {"shape": None}, {"dtype": "float99"}, {"dtype": "load"}, {"dtype": "_dynamo"},
    {"dtype": "float64"}, {"dtype": []}, {"nbytes": -1}, {"nbytes": "24"}, {"nbytes": 20},
], ids=str)  # fmt: skip
def test_a_tensor_has_the_elements_that_arrived(changed):
    """A forged shape takes no memory of the judge, and no name of torch is looked up but a dtype's."""
    with pytest.raises(Mismatch):
        unpack_reply(tensor_reply(**changed), bytes(24))


def test_strides_of_a_reply_are_not_believed():
    """Strides of 0 make a large tensor of a few bytes."""
    got = unpack_reply(tensor_reply(strides=[0, 0], offset=5), elements(torch.arange(6.0))[1]).value

    assert torch.equal(torch.arange(6.0).reshape(2, 3), got)


def test_a_tensor_of_very_many_dimensions_is_described():
    """As one that is too large is."""
    header, payload = pack_reply(torch.ones([1] * 65), limit=100)

    assert payload == [] and "tensor of float32" in repr(unpack_reply(header, b"").value)


@pytest.mark.parametrize("name, value", [
    ("read", DIGITS), ("written", 2**63), ("peak", -(2**63) - 1), ("read", float("nan")), ("read", float("inf")),
    ("torch_reads", [2**70]), ("bytes", [0, DIGITS]), ("torch_ops", ["x" * ((1 << 20) + 1)]),
    ("rows", [["x", 1, 2**70]]),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_a_count_of_more_than_64_bits_is_no_count(name, value):
    """Nor is a text of over a million characters a name."""
    header = pack_reply(1, observed=Observations())[0]

    with pytest.raises(Mismatch):
        unpack_reply(header | {"observed": header["observed"] | {name: value}}, b"")


def test_the_program_of_a_launch_has_arrived():
    """Else the judge would look for it in vain."""
    known = {"kernel": "k", "grid": [1], "options": {}, "constants": {}, "signature": {}, "divisible": {}}
    counts = "shared storing working lanes widest largest loads early overtaken open".split()
    launch = known | dict.fromkeys(counts, 0)
    for program, programs in ((0, []), (2, ["{}", "{}"])):
        observed = Observations(launches=[launch | {"program": program}], programs=programs)
        with pytest.raises(Mismatch):
            unpack_reply(pack_reply(1, observed=observed)[0], b"")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "[" * 100_000, "9" * 10_000], ids=range(6))
def test_a_text_that_is_no_program_reads_no_global(text):
    """The judge reads the texts of kernels in replies."""
    assert not compiled._reads_a_global(Evidence(programs=[text]))


# ---- one verdict


def case(verify):
    return Case("a case", Call("call", "f"), verify=verify)


def test_a_result_that_a_check_cannot_handle_is_wrong():
    """The sentence says why; where a test does not expect it, it is an error, so that a slip of ours is seen."""
    compared = case(lambda e: 1 / e.value)
    with pytest.warns(untrusted.NotHandled):
        failure = failure_of(compared, Evidence(value=0))
    assert "the result cannot be compared with the right one (ZeroDivisionError: " in failure.sentence

    with pytest.raises(untrusted.NotHandled):
        failure_of(compared, Evidence(value=0))


@pytest.mark.parametrize("error", [OSError, MemoryError])
def test_a_fault_of_the_machine_is_not_the_answers(error):
    """A full disk says nothing about a result."""

    def verify(evidence):
        raise error

    with pytest.raises(error):
        failure_of(case(verify), Evidence(value=0))


# ---- whole answers


class Sessions:
    """A zygote that replays what a runner replied, through `change`."""

    def __init__(self, replies, change):
        self.replies, self.change, self.loading_error = replies, change, None

    def open(self, *args, **kwargs):
        return self

    def run(self, call, *_, **__):
        header, payload = self.replies.pop(0) if self.replies else ({"value": ["const", None], "args": []}, b"")
        try:
            return unpack_reply(*self.change(header, payload))
        except Mismatch as error:
            raise zygotes.Died(str(error)) from None

    def wait(self):
        pass

    def lower(self, *_):
        return None, None

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def places(data, above=()):
    """The paths of all parts of a header."""
    yield above
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in pairs:
        yield from places(part, (*above, key))


def mutated(header, payload, chance):
    """A reply with a part or two replaced, half the time its value."""
    header = json.loads(json.dumps(header))
    if "value" in header and chance.random() < 0.5 or chance.random() < 0.1:
        header = {k: v for k, v in header.items() if k != "tensor"} | {"value": copy.deepcopy(chance.choice(VALUES))}
    else:
        for _ in range(chance.choice((1, 1, 2))):
            *above, last = chance.choice([path for path in places(header) if path])
            at = header
            for key in above:
                at = at[key]
            at[last] = copy.deepcopy(chance.choice(LEAVES + VALUES))
    if chance.random() < 0.1:
        payload = payload[: chance.randrange(len(payload) + 1)]
    elif payload and chance.random() < 0.2:
        payload = chance.choice((b"\xff", b"\x00", b"\x7f")) * len(payload)
    return json.loads(json.dumps(header)), payload


OF_EACH_KIND = ("1.1", "5.1", "12.5")  # make whole takes the others


@pytest.mark.filterwarnings("ignore::grader.judge.untrusted.NotHandled")
@pytest.mark.parametrize(
    "number",
    [pytest.param(n, marks=[pytest.mark.whole] * (n not in OF_EACH_KIND)) for n in sorted(ONE_EACH)],
)
def test_no_reply_makes_the_judge_raise(number, monkeypatch):
    """Replies of a right answer, changed at random: every one ends in a status, a bounded row and a text."""
    exercise = lessons.exercises()[number]
    answer = extract.extract([ONE_EACH[number].source], exercise.names)
    kept = []
    monkeypatch.setattr(replay, "_kept", {})  # what mutants gave here is no fact
    monkeypatch.setattr(session, "unpack_reply", lambda *reply: kept.append(reply) or unpack_reply(*reply))
    assert judge(exercise, answer).status == "passed"

    chance = random.Random(number)
    for _ in range(25):
        sessions = Sessions(list(kept), lambda *reply: mutated(*reply, chance) if chance.random() < 0.5 else reply)
        monkeypatch.setattr(zygotes, "get", lambda *_, sessions=sessions: sessions)
        result = judge(exercise, answer)
        assert result.status in STATUS and "grader-failed" not in result.flags
        assert len(json.dumps(result.record())) < 20_000 and len(result.text) < 20_000
        assert result.text.encode()


# ---- rows


def test_text_of_an_answer_is_bounded_in_its_row():
    """Message, flags and remarks, whatever they quote; and a lone surrogate can be printed."""
    exercise = lessons.exercises()["0.1"]
    problems = tuple(f"code cell {n} is not Python and was left out: {'é' * 4_000_000}" for n in range(2))
    source = "class E(Exception):\n    pass\ndef double(x):\n    raise E('\\ud800' + 'x' * 1000)"
    result = judge(exercise, Answer(source, (), problems + ("short",) * 50))

    assert len(json.dumps(result.record())) < 40_000 and len(result.record()["flags"]) == 21
    assert result.record()["flags"][-1] == "and 32 more"
    assert result.text.encode()
