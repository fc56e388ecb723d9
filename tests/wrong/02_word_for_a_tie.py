# exercise: 2.4
# mistake: other-words
def bound_by(intensity, flops, bandwidth):
    if intensity * bandwidth < flops:
        return "memory"
    if intensity * bandwidth > flops:
        return "compute"
    return "both"
