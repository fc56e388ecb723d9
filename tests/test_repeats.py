"""Other numbers in the same memory: a result that is kept by the address of a tensor is wrong, in every exercise."""

import pytest
import torch

from grader import lessons
from grader.judge.judge import in_order, judge
from grader.mistakes.mutant import reference
from grader.spec import Answer

SEED = 7
FUNCTIONS = [  # of kernels, a driver is called
    exercise
    for exercise in lessons.exercises().values()
    if not exercise.names[0].endswith("_kernel")
    and any(case.call.kind == "call" and any(isinstance(a, torch.Tensor) for a in case.call.args)
           for case in exercise.cases(SEED))
]  # fmt: skip
KEYS = {
    "address": "(x.data_ptr(), x.shape, x.stride(), x.dtype)",
    "identity": "id(x)",
    "shape": "(x.shape, x.stride())",
    "version": "(x.data_ptr(), x.shape, x._version)",
}


def keeping(exercise, key):
    """The right answer, which computes nothing for a key that it has seen."""
    name = exercise.names[0]
    called = f"{name}.apply" if name == "Softmax" else name
    wrapped = f"""
_function, _kept = {called}, {{}}


def _keeping(x, *more):
    key = {key}, *((y.data_ptr() if hasattr(y, "data_ptr") else y) for y in more)
    if key not in _kept:
        _kept[key] = x, _function(x, *more)
    return _kept[key][1]
"""
    if name == "Softmax":
        return f"{wrapped}\n\nclass Softmax:\n    apply = staticmethod(_keeping)\n"
    return f"{wrapped}\n\n{name} = _keeping\n"


def test_every_function_of_tensors_has_both_repeats():
    """One case in the same tensors, and one at the same addresses, each right behind what it repeats."""
    for exercise in FUNCTIONS:
        cases = in_order(exercise, SEED)
        ways = {case.call.memory for case in cases}

        assert {"", "same", "address"} == ways, exercise.id
        for before, case in zip(cases, cases[1:]):
            assert case.repeats in (None, before)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.id)
def test_a_result_that_is_kept_by_address_is_wrong(exercise, key):
    """Full marks for no computation at all were possible: each input had memory of its own."""
    result = judge(exercise, Answer(reference(exercise.id) + keeping(exercise, KEYS[key])), seed=SEED)

    assert result.score < result.max_score, result.text
    if key in ("address", "version"):
        # A result of 15.3 that is kept is also one that was not stored in x.
        assert result.mistake in ("kept-by-address", "not-in-place" if exercise.id == "15.3" else ""), result.text
