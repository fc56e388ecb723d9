# exercise: 2.5
# mistake: truth-doubted
myths = {"a": False, "b": False, "c": True, "d": False, "e": False, "f": False}
