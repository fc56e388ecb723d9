# exercise: 2.5
# mistake: claim-missing
myths = [False, False, True, False, True, False]
