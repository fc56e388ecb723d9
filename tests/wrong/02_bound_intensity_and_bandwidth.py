# exercise: 2.4
# mistake: number-left-out
def bound_by(intensity, flops, bandwidth):
    return "memory" if intensity < bandwidth else "compute"
