# exercise: 2.5
# mistake: value-left-out
myths = None
