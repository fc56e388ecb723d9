# exercise: 11.1
# mistake: input-overwritten
def softmax_backward(y, dy):
    dot = (y * dy).sum(dim=1, keepdim=True)
    dy -= dot
    return y * dy
