# exercise: 8.2
# mistake: one-side-rescaled
import math


def merge(a, b):
    (ma, da), (mb, db) = a, b
    m = max(ma, mb)
    if m == -math.inf:
        return m, 0.0
    return m, da + db * math.exp(mb - m)
