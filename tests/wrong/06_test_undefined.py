# exercise: 6.4
# mistake: module-not-imported
import torch


def test_softmax(softmax):
    assert np.allclose(softmax(torch.ones(2, 2)), 0.5)
