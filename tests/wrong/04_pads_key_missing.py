# exercise: 4.2
# mistake: pad-entry-missing
pads = {"a": 0.0, "b": float("inf"), "c": float("inf")}
