# exercise: 2.4
def bound_by(intensity, *card):
    flops, bandwidth = card
    match intensity * bandwidth >= flops:
        case True:
            return "compute"
        case _:
            return "memory"
