# exercise: 1.3
# mistake: not-a-number
overflow_at = {"float32": "89", "float16": "12"}
