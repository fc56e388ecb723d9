# exercise: 2.4
def bound_by(intensity, flops, bandwidth):
    attainable = min(flops, intensity * bandwidth)
    return "compute" if attainable == flops else "memory"
