# exercise: 1.3
# mistake: value-left-out
overflow_at = None
