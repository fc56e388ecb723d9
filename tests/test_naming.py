"""Which mistake is named, when two fit and when none does."""

from dataclasses import replace

import pytest
import torch

from grader import lessons
from grader.checks import syntax
from grader.judge import diagnose, render, replay
from grader.judge.judge import judge
from grader.judge.verdict import Failure
from grader.mistakes import detectors
from grader.mistakes.mutant import reference
from grader.sentence import said
from grader.spec import Answer, Call, Case, Detector, Evidence, Exercise, Result

X = torch.tensor([[0.0, 1.0, 3.0]])


def exercise(*mistakes):
    return Exercise("4.1", "kernel", ("kernel",), 3, lambda seed: [], ("a", "b", "c"), mistakes)


def explained(mistakes, got, passed=()):
    case = Case("a row, 1×3", Call("call", "kernel"), verify=lambda e: None, facts={"x": X})
    evidence = Evidence(value=got)
    failures = [Failure(case, evidence, "the row sums to 2, expected 1")]
    seen = [(case, evidence), *passed]
    found = vars(diagnose.explain(exercise(*mistakes), Answer(""), seen, failures)[0]) | {"cases_passed": 0}
    result = Result(id="4.1", title="kernel", max_score=3.0, cases=1, **found)
    return replace(result, text=render.text(result.record()))


def test_two_mistakes_that_give_the_same_numbers_are_both_named():
    """Nothing in the numbers tells them apart, so the learner hears of both."""
    ones = detectors.formula(lambda x, facts: torch.ones_like(x))
    result = explained([("no-division", ones), ("base-two", ones)], torch.ones(1, 3))

    assert (result.mistake, result.also) == ("no-division", "base-two")
    text = " ".join(result.text.split())
    assert "This mistake gives the same result: The exponentials are right" in text
    assert "It may also be this mistake, which gives the same result: These are powers of 2" in text


def test_what_the_later_parts_show_tells_two_mistakes_apart():
    """Both give the numbers of the first part, and only one those of the parts behind it."""
    ones = detectors.formula(lambda x, facts: torch.ones_like(x))
    others = detectors.formula(lambda x, facts: torch.where(x.sum() > 4, 2.0, torch.ones_like(x)))
    case, later = (Case("a", Call("call", "kernel"), lambda e: "wrong", facts={"x": x}) for x in (X, X + 1))
    failures = [Failure(case, Evidence(value=torch.ones(1, 3)), "the row sums to 3, expected 1")]
    beyond = [(later, Evidence(value=torch.ones(1, 3)))]
    table = exercise(("base-two", others), ("no-division", ones))

    both, one = (diagnose.name(table, Answer(""), [], failures, each) for each in (None, beyond))

    assert (both.mistake, both.also) == ("base-two", "no-division")
    assert (one.mistake, one.also) == ("no-division", None)


def test_a_name_by_numbers_needs_no_number_in_the_smallest_case():
    """One mistake makes NaN there, and another one is told by the numbers of the next case."""
    ones = detectors.formula(lambda x, facts: torch.ones_like(x))
    sentences = (said("column 0 is {got}, expected {want}", got=got, want="0.04") for got in ("nan", "1"))
    values = (torch.full((1, 3), torch.nan), torch.ones(1, 3))
    case = Case("a row, 1×3", Call("call", "kernel"), verify=lambda e: None, facts={"x": X})
    failures = [Failure(case, Evidence(value=value), each) for value, each in zip(values, sentences)]
    found = diagnose.name(exercise(("no-division", ones)), Answer(""), [], failures)

    assert (found.mistake, found.shown) == ("no-division", failures[1])


def test_of_equal_votes_that_formula_counts_which_fits_more_of_the_failing_cases():
    """A match of NaN is half a vote: one formula can miss a case of NaN that another one has, with as many votes."""
    case = Case("a row, 1×3", Call("call", "kernel"), verify=lambda e: None, facts={"x": X})
    failures = [Failure(case, Evidence(value=torch.full((1, 3), value)), "wrong") for value in (1.0, torch.nan)]
    ones = detectors.formula(lambda x, facts: torch.ones_like(x))
    mutant = replace(ones, fits=lambda case, evidence: True)
    found = [diagnose.Vote(mistake, each, 1.0, True) for mistake, each in (("no-max", ones), ("base-two", mutant))]

    assert diagnose.leading(found, [], failures) == found[1:]


def test_a_detector_gets_what_its_parameters_name():
    """The output, a field of the evidence, a fact, the text; where one of them is missing, it does not match."""

    @detectors.looks
    def everything(got, read, x, source, case) -> bool:
        return bool((got == 1).all()) and read == 3 and x is X and source == "text" and case.facts["x"] is X

    case = Case("a row, 1×3", Call("call", "kernel"), verify=lambda e: None, facts={"x": X})
    evidence, answer = Evidence(value=torch.ones(1, 3), read=3), Answer("text")

    assert everything(case, evidence, answer)
    assert not everything(case, replace(evidence, read=4), answer)
    assert not everything(case, replace(evidence, value=None), answer)
    assert not detectors.looks(lambda mask: True)(case, evidence, answer)


def test_the_way_an_answer_is_written_is_no_second_explanation():
    """Only numbers can fit equally well."""
    ones = detectors.formula(lambda x, facts: torch.ones_like(x))
    result = explained([("no-division", ones), ("base-two", Detector(lambda c, e, a: True))], torch.ones(1, 3))

    assert (result.mistake, result.also) == ("no-division", None)


def test_the_sentence_of_a_mistake_says_no_more_than_was_seen():
    """Numbers can agree by chance, or for another reason, also in every case. A sign that is no number is sure."""
    ones = detectors.formula(lambda x, facts: torch.ones_like(x))
    for detector, by_numbers in ((ones, True), (replace(ones, exact=True), True), (detectors.rows_constant, False)):
        result = explained([("no-division", detector)], torch.ones(1, 3))

        text = " ".join(result.text.split())
        assert ("no-division", by_numbers) == (result.mistake, result.by_numbers)
        assert by_numbers == ("This mistake gives the same result: The exponentials are right" in text)


def test_a_mistake_that_is_not_known_is_not_guessed():
    """The feedback says so, after the case and the numbers."""
    result = explained([("no-division", Detector(lambda c, e, a: False))], torch.full((1, 3), 0.5))

    assert (result.mistake, result.also) == (None, None)
    assert "a row, 1×3: the row sums to 2, expected 1" in result.text
    assert "The check does not recognise the mistake." in " ".join(result.text.split())


def test_a_formula_that_would_be_wrong_where_the_answer_was_right_is_none():
    """Both give ones on the failing case; on the case that passed, only the first is right as well."""
    case = Case("another row", Call("call", "kernel"), verify=lambda e: None, facts={"x": torch.zeros(1, 2)})
    passed = [(case, Evidence(value=torch.full((1, 2), 0.5)))]
    ones = detectors.formula(lambda x, facts: torch.ones_like(x))
    half = detectors.formula(lambda x, facts: torch.ones_like(x) if x.shape[1] == 3 else x + 0.5)
    result = explained([("no-division", ones), ("base-two", half)], torch.ones(1, 3), passed)

    assert (result.mistake, result.also) == ("base-two", None)


def test_nothing_but_nan_is_weak_evidence():
    """Many a formula overflows; how the answer is written says more."""
    nan = detectors.formula(lambda x, facts: x * torch.nan)
    result = explained(
        [("no-division", nan), ("no-pad", Detector(lambda c, e, a: True))], torch.full((1, 3), torch.nan)
    )

    assert result.mistake == "no-pad"


RIGHT = torch.linspace(0.1, 1.0, 6)


@pytest.mark.parametrize(
    "mutant, told",
    [
        (RIGHT, False),  # it changes nothing here, and the answer is off by less than two roundings may be
        (RIGHT * (1 - 5e-5), False),
        (RIGHT * (1 + 2e-5), False),
        (RIGHT * (1 + 5e-5) + torch.tensor([1e-7, 0, 0, -1e-7, 0, 0]), True),
    ],
)
def test_a_mutant_as_far_from_an_answer_as_the_right_result_tells_nothing(mutant, told):
    """All of these are the same as the answer to 1e-4, and only the last one explains why it was refused."""
    answer, found, right = (replay.Outcome([None, each]) for each in (RIGHT * (1 + 5e-5), mutant, RIGHT))

    assert replay.same(answer, found) and replay.same(answer, right)
    assert replay.tells(answer, found, right) is told


@pytest.mark.parametrize(
    "got, right, told",
    [
        ((-torch.inf, 0.0), (-torch.inf, 1.0), True),
        ((1.0, 2.0), (1, 2), False),
        ((1.0, torch.nan), (1.0, 2.0), True),
        (torch.tensor([torch.nan, 1.0]), torch.tensor([torch.inf, 1.0]), True),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), True),
        (torch.ones(2), torch.ones(2, 1), True),
        (torch.zeros(0), torch.zeros(0), False),
    ],
)
def test_a_mutant_with_the_very_result_of_the_answer_tells_where_that_is_wrong(got, right, told):
    """Not only numbers count: so do infinities, the dtype and the shape."""
    answer = replay.Outcome([got])

    assert replay.tells(answer, replay.Outcome([got]), replay.Outcome([right])) is told


def test_a_little_wrong_sum_has_no_name():
    """Each mutant that changes nothing in the first case is within its tolerance of such an answer."""
    source = reference("16.1").replace("tl.log(d) + (m - hit)", "tl.log2(d) * 0.6931 + (m - hit)")
    result = judge(lessons.exercises()["16.1"], Answer(source))

    assert (result.status, result.mistake) == ("failed", None), result.text


@pytest.mark.parametrize("text", ["x = 1\n" * 4000, "x = " + "-" * 200 + "1", "x = '" + "a" * syntax.LONGEST + "'"])
def test_a_text_that_nobody_writes_is_searched_for_no_mistake(text):
    """Many patterns compare nodes with nodes. Neither what is in the text names a mistake, nor what is not in it."""
    seen = []
    found = detectors.written(lambda tree: seen.append(tree) or True)
    lacks = detectors.looks(lambda source: seen.append(source) or True)

    assert not found(None, Evidence(), Answer(text))
    assert len(text) <= syntax.LONGEST or not lacks(None, Evidence(), Answer(text))
    assert found(None, Evidence(), Answer("x = 1")) and lacks(None, Evidence(), Answer("x = 1"))


def test_the_lanes_of_a_kernel_are_found_in_one_walk(monkeypatch):
    """Whatever the order of its assignments: each is looked at once."""
    lines = "".join(f"    a{n} = a{n - 1} + 1\n" for n in range(200, 0, -1))
    tree = syntax.parse(f"@triton.jit\ndef kernel(n):\n    a0 = tl.arange(0, 8)\n{lines}    b = n\n")
    asked, unreduced = [], syntax._unreduced
    monkeypatch.setattr(syntax, "_unreduced", lambda node: asked.append(node) or unreduced(node))

    assert syntax._names_of_lanes(syntax.kernels(tree)[0]) == {f"a{n}" for n in range(201)}
    assert len(asked) < 10 * 200
