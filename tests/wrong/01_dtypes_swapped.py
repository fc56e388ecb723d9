# exercise: 1.3
# mistake: dtypes-swapped
overflow_at = {"float32": 12, "float16": 89}
