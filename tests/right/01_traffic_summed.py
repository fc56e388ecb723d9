# exercise: 1.2
PASSES = [("max", 1, 0, 0, 1), ("sub", 1, 1, 1, 0), ("exp", 1, 0, 1, 0), ("sum", 1, 0, 0, 1), ("div", 1, 1, 1, 0)]


def naive_traffic(m, n):
    read = sum(a * m * n + b * m for _, a, b, _, _ in PASSES)
    written = sum(c * m * n + d * m for _, _, _, c, d in PASSES)
    return float(read), float(written)
