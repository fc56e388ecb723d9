# exercise: 4.2
# mistake: pad-given-up
pads = {"a": 0.0, "b": float("inf"), "c": None, "d": None}
