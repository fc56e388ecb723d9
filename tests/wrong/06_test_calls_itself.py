# exercise: 6.4
# mistake: endless
import torch


def test_softmax(softmax):
    test_softmax(softmax)
