# exercise: 4.2
# mistake: pad-finite
pad_value = -1e30
