# exercise: 11.1
# mistake: gradient-zero
def softmax_backward(y, dy):
    return y - y
