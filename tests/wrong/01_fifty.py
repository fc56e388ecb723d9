# exercise: 1.3
# mistake: fifty-overflows
overflow_at = {"float32": 50, "float16": 12}
