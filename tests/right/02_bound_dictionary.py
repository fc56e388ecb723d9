# exercise: 2.4
def bound_by(intensity, flops, bandwidth):
    seconds = {"memory": 1 / bandwidth, "compute": intensity / flops}
    return max(seconds, key=seconds.get)
