# exercise: 4.2
# mistake: pad-of-another
pads = {"a": 0, "b": 0, "c": 0, "d": 0}
