# exercise: 2.4
# mistake: faster-side-named
def bound_by(intensity, flops, bandwidth):
    return "memory" if intensity > flops / bandwidth else "compute"
