# exercise: 2.4
def bound_by(intensity, flops, bandwidth):
    balance = flops / bandwidth
    return "compute" if intensity > balance else "memory"
