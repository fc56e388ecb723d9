# exercise: 2.4
def bound_by(intensity, flops, bandwidth):
    seconds_moving = 1 / bandwidth
    seconds_calculating = intensity / flops
    if seconds_calculating > seconds_moving:
        return "compute"
    return "memory"
