# exercise: 4.2
# mistake: pad-of-no-kind
pads = {"a": [0.0], "b": float("inf"), "c": float("inf"), "d": None}
