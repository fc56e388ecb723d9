# exercise: 2.4
# mistake: units-do-not-match
def bound_by(intensity, flops, bandwidth):
    return "memory" if intensity / bandwidth > 1 / flops else "compute"
