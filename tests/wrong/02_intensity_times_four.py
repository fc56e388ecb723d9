# exercise: 2.4
# mistake: intensity-per-element
def bound_by(intensity, flops, bandwidth):
    """Which of "memory" and "compute" holds back a kernel of this intensity on a card with these peaks."""
    # One to three lines. Mind the units on both sides.
    return "memory" if intensity * 4 * bandwidth < flops else "compute"
