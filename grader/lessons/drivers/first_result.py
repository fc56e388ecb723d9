"""Calls a function of an answer for a part of what it does: a text that joins the answer, with functions for cases."""


def check_first_result(name, x, other, *more):
    """The result for x, as it is after two calls with `other`. name: of the function; more: its other arguments."""
    import answer

    function = getattr(answer, name)
    first = function(x, *more)
    function(other, *more)
    function(other, *more)
    return first


def check_both_results(name, *args):
    """Both results of two calls with the very same arguments. name: of the function."""
    import answer

    function = getattr(answer, name)
    return [function(*args), function(*args)]
