# exercise: 2.5
# mistake: truth-doubted
myths = {"a": False, "b": False, "c": False, "d": False, "e": False, "f": False}
