# exercise: 2.5
# mistake: not-true-or-false
myths = {"a": 0, "b": 0, "c": 1, "d": 0, "e": 1, "f": 0}
