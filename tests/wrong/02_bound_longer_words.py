# exercise: 2.4
# mistake: other-words
def bound_by(intensity, flops, bandwidth):
    return "memory-bound" if intensity * bandwidth < flops else "compute-bound"
