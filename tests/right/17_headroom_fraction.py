# exercise: 17.4
from fractions import Fraction


def headroom(report, least_bytes, copy_rate):
    took = Fraction(report["gpu__time_duration.sum"], 10**9)
    return max(Fraction(1), took * copy_rate / least_bytes)
