# exercise: 1.1
# status: timeout
def naive_softmax(x):
    import re

    return re.match("(a*)*b", "a" * 40)
