# exercise: 11.1
# mistake: dot-stored
def softmax_backward(y, dy):
    s = (y * dy).sum(dim=1, keepdim=True)
    return s.expand(y.shape).clone()
