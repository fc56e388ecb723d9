# exercise: 2.4
# mistake: none
def bound_by(intensity, flops, bandwidth):
    return "memory" if intensity * bandwidth < 0.9 * flops else "compute"
