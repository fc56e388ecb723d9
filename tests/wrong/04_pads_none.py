# exercise: 4.2
# mistake: value-left-out
pads = None
