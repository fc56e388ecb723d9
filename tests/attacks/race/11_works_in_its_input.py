# tries: to spare the output by working in the input
# in its way: the input is compared with the numbers that it had
# outcome: refused
honest = fused_softmax


def fused_softmax(x):
    return x.copy_(honest(x))
