# exercise: 1.1
# mistake: exits
import os


def naive_softmax(x):
    os._exit(0)
