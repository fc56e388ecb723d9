# exercise: 11.1
# mistake: factor-twice
def softmax_backward(y, dy):
    return y * (dy - (y * y * dy).sum(dim=1, keepdim=True))
