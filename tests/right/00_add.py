# exercise: 0.1
double = lambda x: x + x  # noqa: E731
