# exercise: 2.4
# mistake: returns-nothing
def bound_by(intensity, flops, bandwidth):
    print("memory" if intensity * bandwidth < flops else "compute")
