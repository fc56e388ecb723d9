"""Calls an answer's tree_reduce with a list and looks at the list: a text that joins the answer."""


def check_callers_list(values):
    """The list `values` as it is after tree_reduce(values)."""
    import answer

    answer.tree_reduce(values)
    return values
