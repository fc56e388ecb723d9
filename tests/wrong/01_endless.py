# exercise: 1.1
# mistake: endless
def naive_softmax(x):
    while True:
        pass
