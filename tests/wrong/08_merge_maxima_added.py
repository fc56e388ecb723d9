# exercise: 8.2
# mistake: maxima-added
import math


def merge(a, b):
    (ma, da), (mb, db) = a, b
    m = ma + mb
    if m == -math.inf:
        return m, 0.0
    return m, da + db
