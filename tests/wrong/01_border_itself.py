# exercise: 1.3
# mistake: not-an-integer
overflow_at = {"float32": 88.73, "float16": 11.1}
