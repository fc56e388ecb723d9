# exercise: 4.2
# mistake: pad-within-reach
import torch

pads = {"a": 0.0, "b": torch.finfo(torch.float32).max, "c": float("inf"), "d": None}
