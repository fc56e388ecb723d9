"""Merges states with an answer's two_level and counts additions in series: a text that joins the answer."""


class _Sum(float):
    """A float that knows the length of the longest chain of additions that lead to it."""

    def __new__(cls, value, length):
        made = super().__new__(cls, value)
        made.length = length
        return made

    def __add__(self, other):
        if not isinstance(other, _Sum) and other == 0:  # the 0 that sum() begins with
            return self
        return _Sum(float(self) + float(other), 1 + max(self.length, getattr(other, "length", 0)))

    def __mul__(self, other):
        return _Sum(float(self) * float(other), max(self.length, getattr(other, "length", 0)))

    __radd__, __rmul__ = __add__, __mul__


def check_additions_in_series(threads):
    """The longest chain of additions in the sum of two_level, and the most lanes that it gave to butterfly.

    The first number is 0 where the sum went through other objects, the second one where no butterfly was called.
    """
    import answer

    butterfly, lanes = getattr(answer, "butterfly", None), [0]

    def counted(values, *more, **named):
        lanes.append(len(values))
        return butterfly(values, *more, **named)

    if callable(butterfly):
        answer.butterfly = counted
    _, d = answer.two_level([float(i % 7) for i in range(threads)], [_Sum(1.0 + i % 5, 0) for i in range(threads)])
    return getattr(d, "length", 0), max(lanes)
