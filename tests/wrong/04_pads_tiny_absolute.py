# exercise: 4.2
# mistake: pad-within-reach
import torch

pads = {"a": torch.finfo(torch.float32).tiny, "b": float("inf"), "c": float("inf"), "d": None}
