# exercise: 4.2
# mistake: text-for-number
pads = {"a": 0.0, "b": "inf", "c": "inf", "d": None}
