# exercise: 4.2
# mistake: text-for-number
pad_value = "-inf"
