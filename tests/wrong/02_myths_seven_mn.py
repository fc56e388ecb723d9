# exercise: 2.5
# mistake: myth-believed
myths = {"a": False, "b": False, "c": True, "d": False, "e": True, "f": True}
