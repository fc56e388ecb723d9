# exercise: 2.5
# mistake: claim-missing
myths = {"a": False, "b": False, "c": True, "d": False, "f": False}
