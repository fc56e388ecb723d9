# exercise: 4.2
# mistake: pad-not-a-number
pads = {"a": float("nan"), "b": float("inf"), "c": float("inf"), "d": None}
