# exercise: 2.3
from fractions import Fraction


def floor_time(m, n, itemsize, bandwidth):
    return Fraction(2 * m * n * itemsize, bandwidth)
