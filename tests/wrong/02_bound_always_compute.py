# exercise: 2.4
# mistake: always-one-answer
def bound_by(intensity, flops, bandwidth):
    return "compute"
