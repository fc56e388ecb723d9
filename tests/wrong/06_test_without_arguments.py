# exercise: 6.4
# mistake: signature-changed
import torch


def test_softmax():
    assert True
