# exercise: 4.2
# mistake: value-left-out
pad_value = None
