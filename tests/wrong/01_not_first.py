# exercise: 1.3
# mistake: not-first
overflow_at = {"float32": 100, "float16": 20}
