# exercise: 11.1
# mistake: wrong-shape
def softmax_backward(y, dy):
    dot = (y * dy).sum(dim=1, keepdim=True)
    return (y * (dy - dot)).sum(dim=1)
