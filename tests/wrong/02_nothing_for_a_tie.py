# exercise: 2.4
# mistake: returns-nothing
def bound_by(intensity, flops, bandwidth):
    if intensity * bandwidth < flops:
        return "memory"
    if intensity * bandwidth > flops:
        return "compute"
