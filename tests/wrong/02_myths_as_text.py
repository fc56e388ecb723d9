# exercise: 2.5
# mistake: not-true-or-false
myths = {"a": "false", "b": "false", "c": "true", "d": "false", "e": "true", "f": "false"}
