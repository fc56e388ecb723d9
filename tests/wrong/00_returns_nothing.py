# exercise: 0.1
# mistake: returns-nothing
def double(x):
    2 * x
