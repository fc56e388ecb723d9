# exercise: 4.2
# mistake: pad-within-reach
pads = {"a": 0.0, "b": float("inf"), "c": 90.0, "d": None}
