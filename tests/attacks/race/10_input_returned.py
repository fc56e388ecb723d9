# tries: to return its input
# in its way: each result is compared with float64
# outcome: refused
def fused_softmax(x):
    return x
