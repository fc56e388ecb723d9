"""What a butterfly is asked to combine. The text of this module is handed to answers."""

import math


def larger(a, b):
    """The larger of two numbers."""
    return max(a, b)


def total(a, b):
    """The sum of two numbers."""
    return a + b


def steps(a, b):
    """(how many combinations one after the other made a value, the sum)."""
    return 1 + max(a[0], b[0]), a[1] + b[1]


def merge(a, b):
    """The state (m, d) of two parts of a row together."""
    m = max(a[0], b[0])
    if m == -math.inf:
        return m, 0.0
    return m, a[1] * math.exp(a[0] - m) + b[1] * math.exp(b[0] - m)


for each in (larger, total, steps, merge):
    each.__qualname__ = "combine"  # an error of Python names a function so, and an answer knows it by this name
