# exercise: 4.2
# mistake: pad-of-another
pads = dict.fromkeys("abcd", -float("inf"))
