# exercise: 4.2
import math

pads = {"a": 0, "b": math.inf, "c": math.inf, "d": None}
