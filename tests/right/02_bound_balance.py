# exercise: 2.4
def balance(flops, bandwidth):
    """flop a byte at which both sides take equally long."""
    return flops / bandwidth


def bound_by(i, f, b):
    return ("compute", "memory")[i <= balance(f, b)]
