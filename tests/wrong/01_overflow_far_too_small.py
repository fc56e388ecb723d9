# exercise: 1.3
# mistake: still-finite
overflow_at = {"float32": 44, "float16": 12}
