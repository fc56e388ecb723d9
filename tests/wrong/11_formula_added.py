# exercise: 11.1
# mistake: dot-added
def softmax_backward(y, dy):
    dot = (y * dy).sum(dim=1, keepdim=True)
    return y * (dy + dot)
