# exercise: 1.1
# A sentence with this value in it would have megabytes.
def naive_softmax(x):
    return ["x" * 300] * 10_000
