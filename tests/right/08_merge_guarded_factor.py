# exercise: 8.2
import math


def factor(old, new):
    return 0.0 if old == -math.inf else math.exp(old - new)


def merge(a, b):
    m = max(a[0], b[0])
    return m, sum(d * factor(old, m) for old, d in (a, b))
