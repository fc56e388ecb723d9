# exercise: 1.1
def naive_softmax(x):
    held = []
    while True:
        held.append(bytearray(10**8))
