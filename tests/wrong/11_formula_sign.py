# exercise: 11.1
# mistake: sign-flipped
def softmax_backward(y, dy):
    dot = (y * dy).sum(dim=1, keepdim=True)
    return y * (dot - dy)
