# exercise: 2.4
# mistake: rounded
def bound_by(intensity, flops, bandwidth):
    return "memory" if intensity < flops // bandwidth else "compute"
