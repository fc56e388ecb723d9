# exercise: 4.2
# mistake: pad-for-two-reductions
inf = float("inf")
pads = {"a": 0.0, "b": inf, "c": inf, "d": 0.0}
