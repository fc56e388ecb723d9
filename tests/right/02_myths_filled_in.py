# exercise: 2.5
myths = dict.fromkeys("abcdef", False)
for claim in "ce":
    myths[claim] = True
