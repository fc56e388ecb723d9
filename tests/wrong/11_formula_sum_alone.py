# exercise: 11.1
# mistake: sum-stored
def softmax_backward(y, dy):
    s = (y * dy).sum(dim=1, keepdim=True)
    return s.expand(y.shape).clone()
