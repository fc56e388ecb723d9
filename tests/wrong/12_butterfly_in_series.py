# exercise: 12.2
# mistake: butterfly-in-series
import functools


def butterfly(lanes, combine):
    return [functools.reduce(combine, lanes)] * len(lanes)
