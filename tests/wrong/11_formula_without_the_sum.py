# exercise: 11.1
# mistake: dot-missing
def softmax_backward(y, dy):
    return y * dy
