"""Walks with an answer's online_normalizer and counts the numbers that it keeps: a text that joins the answer."""

import weakref


class _Number(float):
    """A float whose end can be noticed."""


def check_numbers_kept(values):
    """[the state of the values, the most of their numbers that were in memory at once]. The second one is a remark."""
    import answer

    given, most = [], 0

    def count():
        nonlocal most
        most = max(most, sum(ref() is not None for ref in given))

    def numbers():
        for value in values:
            number = _Number(value)
            given.append(weakref.ref(number))
            count()
            yield number

    state = answer.online_normalizer(numbers())
    return [state, most]
