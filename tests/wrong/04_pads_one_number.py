# exercise: 4.2
# mistake: pad-entry-missing
pads = -float("inf")
