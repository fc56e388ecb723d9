# exercise: 1.1
import os


def naive_softmax(x):
    while True:
        os.open(os.devnull, os.O_RDONLY)
