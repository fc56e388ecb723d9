"""Calls an answer's two_level and looks at the lists that it gives to butterfly: a text that joins the answer."""


def check_lanes(lanes_m, lanes_d):
    """[the state, the most lanes that butterfly got]. The second one is a remark."""
    import answer

    butterfly, lanes = getattr(answer, "butterfly", None), [0]

    def counted(values, *more, **named):
        lanes.append(len(values))
        return butterfly(values, *more, **named)

    if callable(butterfly):
        answer.butterfly = counted
    return [answer.two_level(lanes_m, lanes_d), max(lanes)]
