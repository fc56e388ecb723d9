# exercise: 11.1
# mistake: operation-exchanged
def softmax_backward(y, dy):
    """dx for each row: y is the output of a softmax, dy the gradient that arrives (both M×N, float32)."""
    dot = (y / dy).sum(dim=1, keepdim=True)
    return y * (dy - dot)
