"""Walks with an answer's online_normalizer and counts the numbers that it keeps: a text that joins the answer."""

import weakref


class _Number(float):
    """A float whose end can be noticed."""


def check_numbers_kept(values):
    """The most numbers of one walk that were in memory at once."""
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

    answer.online_normalizer(numbers())
    return most
