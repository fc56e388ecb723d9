# exercise: 4.2
# mistake: key-without-quotes
pads = {a: 0, b: float("inf"), c: float("inf"), d: None}
