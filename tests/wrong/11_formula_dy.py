# exercise: 11.1
# mistake: dy-passed-on
def softmax_backward(y, dy):
    return dy.clone()
