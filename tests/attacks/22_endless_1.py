# exercise: 1.1
# status: timeout
def naive_softmax(x):
    while True:
        pass
