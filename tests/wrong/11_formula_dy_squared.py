# exercise: 11.1
# mistake: factor-twice
def softmax_backward(y, dy):
    return y * (dy - (y * dy * dy).sum(dim=1, keepdim=True))
