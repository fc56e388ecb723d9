# exercise: 4.2
# mistake: pad-wins
pad_value = float("inf")
