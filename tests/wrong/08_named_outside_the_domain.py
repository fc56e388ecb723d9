# exercise: 8.2
# mistake: outside-the-domain
import math

def merge(a, b):
    """The state (m, d) of two parts of a row together, from their states a = (m, d) and b = (m, d)."""
    (ma, da), (mb, db) = (a, b)
    m = max(ma, mb)
    if m == -math.inf:
        return (m, 0.0)
    return (m, da * math.log(ma - m) + db * math.exp(mb - m))
