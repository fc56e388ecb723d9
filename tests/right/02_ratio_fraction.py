# exercise: 2.2
from fractions import Fraction


def ideal_speedup(m, n):
    five = 8 * m * n + 4 * m
    one = 2 * m * n
    return Fraction(five, one)
