# exercise: 4.2
# mistake: pad-given-up
pads = {"a": None, "b": None, "c": None, "d": 0.0}
