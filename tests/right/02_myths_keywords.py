# exercise: 2.5
myths = dict(a=False, b=False, c=True, d=False, e=True, f=False)
