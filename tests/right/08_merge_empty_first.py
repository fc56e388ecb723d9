# exercise: 8.2
import math


def merge(a, b):
    if a[1] == 0:
        return b
    if b[1] == 0:
        return a
    big, small = (a, b) if a[0] >= b[0] else (b, a)
    return [big[0], big[1] + small[1] * math.exp(small[0] - big[0])]
