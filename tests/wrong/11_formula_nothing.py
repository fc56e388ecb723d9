# exercise: 11.1
# mistake: returns-nothing
def softmax_backward(y, dy):
    dot = (y * dy).sum(dim=1, keepdim=True)
    dx = y * (dy - dot)
