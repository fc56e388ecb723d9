# exercise: 1.3
# mistake: last-finite
overflow_at = {"float32": 88, "float16": 11}
