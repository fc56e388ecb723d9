# exercise: 6.4
# mistake: calls-itself
import torch


def test_softmax(softmax):
    test_softmax(softmax)
