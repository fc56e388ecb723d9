# exercise: 6.4
# mistake: test-takes-nan
import torch, pytest
def test_softmax(softmax):
    x = torch.randn(3, 5)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(softmax(x), torch.zeros(3, 5))
