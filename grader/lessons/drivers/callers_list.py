"""Calls a function of an answer with a list and looks at the list: a text that joins the answer."""


def check_result_and_list(name, values):
    """[the result of the function of this name for `values`, the list `values` as it is after that]."""
    import answer

    return [getattr(answer, name)(values), values]


def check_callers_list(values):
    """The list `values` as it is after tree_reduce(values)."""
    import answer

    answer.tree_reduce(values)
    return values
