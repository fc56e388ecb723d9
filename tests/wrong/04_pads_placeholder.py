# exercise: 4.2
# mistake: value-left-out
pads = {"a": 0.0, "b": ..., "c": ..., "d": None}
