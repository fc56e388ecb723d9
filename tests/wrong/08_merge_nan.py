# exercise: 8.2
# mistake: inf-minus-inf
import math


def merge(a, b):
    (ma, da), (mb, db) = a, b
    m = max(ma, mb)
    return m, da * math.exp(ma - m) + db * math.exp(mb - m)
