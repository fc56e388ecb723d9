# exercise: 4.2
# mistake: not-a-number
pads = {"a": [0.0], "b": float("inf"), "c": float("inf"), "d": None}
