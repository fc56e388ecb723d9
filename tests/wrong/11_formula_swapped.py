# exercise: 11.1
# mistake: y-and-dy-swapped
def softmax_backward(y, dy):
    dot = (y * dy).sum(dim=1, keepdim=True)
    return dy * (y - dot)
