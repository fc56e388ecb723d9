# exercise: 8.2
# mistake: returns-nothing
import math


def merge(a, b):
    (ma, da), (mb, db) = a, b
    m = max(ma, mb)
    if m == -math.inf:
        pass
    m, da * math.exp(ma - m) + db * math.exp(mb - m)
