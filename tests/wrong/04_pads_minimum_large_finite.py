# exercise: 4.2
# mistake: pad-within-reach
pads = {"a": 0.0, "b": 1e30, "c": float("inf"), "d": None}
