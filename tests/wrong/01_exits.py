# exercise: 1.1
# mistake: exits
import sys


def naive_softmax(x):
    sys.exit(0)
