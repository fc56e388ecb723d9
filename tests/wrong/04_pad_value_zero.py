# exercise: 4.2
# mistake: pad-zero
pad_value = 0
