# exercise: 11.1
# mistake: y-passed-on
import torch


def softmax_backward(y, dy):
    return y
