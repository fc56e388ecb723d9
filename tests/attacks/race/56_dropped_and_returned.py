# tries: to say that its tensors are dropped, while its result is made of them
# in its way: what is dropped is no tensor any more, neither for an order nor for a result
# outcome: refused
honest = fused_softmax


def fused_softmax(x):
    y = honest(x)
    x._reference.wire.free(x._reference.number)
    x._reference.wire.free(y._reference.number)
    return y
