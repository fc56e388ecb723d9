"""Calls a function of an answer twice: a text that joins the answer, with a function for cases to call."""


def check_first_result(name, x, other, *more):
    """The result for x, as it is after a second call with `other`. name: of the function; more: its other arguments."""
    import answer

    first = getattr(answer, name)(x, *more)
    getattr(answer, name)(other, *more)
    return first
