# exercise: 2.5
# mistake: myth-believed
myths = {"a": False, "b": True, "c": True, "d": False, "e": True, "f": False}
