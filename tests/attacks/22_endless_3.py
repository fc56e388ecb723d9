# exercise: 1.1
# status: timeout
def naive_softmax(x):
    return sum(iter(int, 1))
