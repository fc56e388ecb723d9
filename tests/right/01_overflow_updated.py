# exercise: 1.3
overflow_at = dict()
overflow_at.update(float32=89, float16=12)
