# exercise: 6.4
# mistake: endless
import torch


def test_softmax(softmax):
    while True:
        assert softmax(torch.ones(2, 2)) is not None
