# exercise: 2.5
# mistake: myth-believed
myths = {"a": True, "b": True, "c": True, "d": True, "e": True, "f": True}
