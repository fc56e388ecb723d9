# tries: the same, and to go on when the number is refused
# in its way: the refusal stands, whatever the function does with it
# outcome: refused
honest = fused_softmax


def fused_softmax(x):
    try:
        x.max().item()
    except Exception:
        pass
    return honest(x)
