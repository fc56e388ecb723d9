# exercise: 2.4
# mistake: card-left-out
def bound_by(intensity, flops, bandwidth):
    return "memory" if intensity < 10 else "compute"
