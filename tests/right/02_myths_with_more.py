# exercise: 2.5
import numpy as np

myths = {"a": np.bool_(False), "b": False, "c": True, "d": False, "e": True, "f": False, "g": "a claim of my own"}
