# exercise: 2.4
# mistake: units-do-not-match
def bound_by(intensity, flops, bandwidth):
    return "memory" if bandwidth < flops * intensity else "compute"
