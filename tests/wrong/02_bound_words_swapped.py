# exercise: 2.4
# mistake: faster-side-named
def bound_by(intensity, flops, bandwidth):
    return "compute" if intensity * bandwidth < flops else "memory"
