# exercise: 6.4
import math
import random
import unittest
import torch
import numpy as np


class TestSoftmax(unittest.TestCase):
    def __init__(self, softmax):
        super().__init__("runTest")
        self.softmax = softmax

    def inputs(self):
        g = torch.Generator().manual_seed(random.Random(6).randint(0, 99))
        wide = torch.randn(20, 40, generator=g)
        holes = torch.randn(3, 6, generator=g)
        holes[:, 2] = -math.inf
        yield from (torch.randn(*shape, generator=g) for shape in [(37, 5), (20, 1), (1, 64), (2, 1500)])
        yield from (wide[:, :30], wide.t(), holes, torch.ones(3, 7), 20 * torch.randn(3, 50, generator=g))
        yield torch.randn(3, 7, generator=g) + torch.tensor([[0.0], [300.0], [-300.0]])

    def runTest(self):
        inputs = list(self.inputs())
        for x in inputs + [-x.nan_to_num() for x in inputs]:
            with self.subTest(shape=x.shape):
                before = x.clone()
                got = self.softmax(x)
                e = np.exp(before.double().numpy() - before.double().numpy().max(1, keepdims=True))
                want = e / e.sum(axis=1, keepdims=True)
                self.assertTrue(torch.equal(x, before), "the input was changed")
                self.assertEqual(got.shape, x.shape)
                self.assertIs(got.dtype, torch.float32)
                np.testing.assert_allclose(got.double().numpy(), want, rtol=1e-4, atol=1e-30)


def test_softmax(softmax):
    test = TestSoftmax(softmax)
    test.runTest()
