"""Records on the wire: every field arrives as it was sent, and nothing else does."""

from dataclasses import dataclass
from typing import Literal

import pytest

from grader.protocol import schema
from grader.protocol.jobs import Job
from grader.spec import Call, Error, Launch, MemoryRequests, Observations, Panel, SharedRequests

LAUNCH = {"kernel": "k", "grid": [2, 1, 1], "options": {"num_warps": 4},
          "constants": {"BLOCK": 8, "PAD": float("inf")}, "signature": {"x_ptr": "*fp32"},
          "divisible": {"x_ptr": 16}, "shared": 0, "storing": 2, "working": 2, "lanes": 8, "widest": 8, "largest": 8,
          "loads": 1, "early": 0, "overtaken": 0, "open": 0, "program": 0}  # fmt: skip
WHERE = {"op": "load", "program": (1, 0, 0), "tensor": "x_ptr", "row": None, "column": 9, "first": 8, "line": 0,
         "begins": 8, "lanes": 1, "of": 8}  # fmt: skip
ERROR = {"type": "OutOfBounds", "kinds": ["OutOfBounds", "RuntimeError"], "message": "é", "line": "tl.load(x_ptr)",
         "kernel": False, "raised": False, "todo": ("4.1", "3", None), "where": WHERE}  # fmt: skip
PANEL = Panel("k", 1, [2, 1, 1], "x_ptr", "load", [3, 4], 4, [(0, 0, 0, 4)], [(1, 2, 3, 1)])
MEMORY = MemoryRequests("k", 1, [2, 1, 1], "x_ptr", "load", 4, 2, 9, 8, 1, [(0, 4), (1, 8)])
SHARED = SharedRequests(7, "store", 4, 3, 6, 2, [(0, 0, 0), (1, 32, 1)])


@pytest.mark.parametrize("record, kind", [
    (LAUNCH, Launch), (ERROR, Error), (ERROR | {"todo": None, "where": None}, Error), (PANEL, Panel),
    (Job(2.5, True, True, False, True, False, ("grader.fast",), ()), Job),
    (Call("launch", "k", (), {"BLOCK": 8, "dtype": None}, (4,), "reversed", False, True), Call),
    (Observations([("exp", 3, 4)], 3, 4, (12, 16), [LAUNCH], ["exp"], [3], [0], 9, ["softmax"], [PANEL], [MEMORY],
                  [SHARED], [("exp", "x", 3, 4)], ["{}"], [2]),
    Observations),
], ids=lambda value: getattr(value, "__name__", ""))  # fmt: skip
def test_a_record_arrives_as_it_was_sent(record, kind):
    """Nested records, plain values, tuples and what may be None."""
    assert record == schema.unpack(schema.pack(record, kind), kind)


@dataclass
class Small:
    count: int
    kind: Literal["a", "b"]
    pair: tuple[int, int] = (0, 0)


@pytest.mark.parametrize("data", [
    None, [], {}, {"count": 1}, {"count": "1", "kind": "a", "pair": [0, 0]},
    {"count": True, "kind": "a", "pair": [0, 0]}, {"count": 1.0, "kind": "a", "pair": [0, 0]},
    {"count": 1, "kind": "c", "pair": [0, 0]},
    {"count": 1, "kind": "a", "pair": [0]}, {"count": 1, "kind": "a", "pair": [0, 0, 0]},
    {"count": 1, "kind": [], "pair": [0, 0]},
])  # fmt: skip
def test_data_of_another_type_is_refused(data):
    """A truth value is no number, and a pair has two parts."""
    with pytest.raises(schema.Mismatch):
        schema.unpack(data, Small)


def test_the_sentence_names_the_field():
    """Also of a record in a record."""
    with pytest.raises(schema.Mismatch, match="^where: tensor: str expected, int arrived$"):
        schema.unpack(ERROR | {"where": WHERE | {"tensor": 3}}, Error)


def test_names_that_a_record_does_not_have_are_left_out():
    """Whatever else was sent does not come along."""
    assert Small(1, "a", (2, 3)) == schema.unpack({"count": 1, "kind": "a", "pair": [2, 3], "more": object}, Small)


def test_a_type_without_a_codec_is_a_mistake_of_ours():
    """It is found when the record is first packed, and not by a learner."""
    with pytest.raises(TypeError, match="no codec"):
        schema.codec(set[int])
