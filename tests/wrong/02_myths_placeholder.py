# exercise: 2.5
# mistake: value-left-out
myths = {"a": False, "b": False, "c": True, "d": None, "e": True, "f": False}
