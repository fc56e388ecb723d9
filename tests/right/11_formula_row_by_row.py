# exercise: 11.1
import torch


def softmax_backward(y, dy):
    rows = [yr * (dyr - torch.dot(yr, dyr)) for yr, dyr in zip(y, dy)]
    return torch.stack(rows)
